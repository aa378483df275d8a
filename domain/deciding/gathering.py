"""Before the game: setting up the table, joining it and leaving it again."""

from collections.abc import Iterator

from domain.commands import CreateGame, JoinGame, LeaveGame
from domain.curve import problem_of_key
from domain.deciding.checks import gathering, seated
from domain.events import AnyEvent, Fairness, GameCreated, PlayerJoined, PlayerLeft
from domain.fairness.chain import LINK_LENGTH
from domain.fairness.derivation import VERSION
from domain.naming import is_id, is_name
from domain.options import DEFAULT_OPTIONS, DICE_EACH_MAX, TURN_SECONDS_MAX, Options
from domain.refusals import (
    AnchorAlreadyUsed,
    AnchorInvalid,
    GameAlreadyExists,
    GameIdInvalid,
    NameInvalid,
    NoSuchRulebook,
    OpenerNotChosen,
    OptionNotInRulebook,
    OptionOutOfRange,
    PlayerAlreadySeated,
    PlayerIdInvalid,
    Refusal,
    SeatsOutOfRange,
    SigningKeyInvalid,
    SigningNeedsChain,
    TableFull,
)
from domain.rulebooks import BOOKS, Rulebook, Rules, clauses_on, latest, rules_of
from domain.state import Nothing, State


def create_game(command: CreateGame, state: State) -> tuple[AnyEvent, ...]:
    """Set up a table of a book, with options that the book has."""
    if not isinstance(state, Nothing):
        raise GameAlreadyExists(game_id=state.table.game_id)
    if not is_id(command.game_id):
        raise GameIdInvalid(game_id=command.game_id)
    rules, seats = rules_of_table(command.rulebook, command.options, command.seats)
    _check_anchor(command.server_anchor)
    fairness = Fairness(version=VERSION, chain_length=rules.links_max(seats), server_anchor=command.server_anchor)
    return (
        GameCreated(
            at=command.at,
            game_id=command.game_id,
            rulebook=rules.book.id,
            rulebook_version=rules.book.version,
            options=command.options,
            seats=seats,
            fairness=fairness,
        ),
    )


def join_game(command: JoinGame, state: State) -> tuple[AnyEvent, ...]:
    """Take the next seat."""
    table = gathering(state).table
    if not is_id(command.player_id):
        raise PlayerIdInvalid(player_id=command.player_id)
    if not is_name(command.name):
        raise NameInvalid(name=command.name)
    for seat, player in enumerate(table.players):
        if player.player_id == command.player_id:
            raise PlayerAlreadySeated(player_id=command.player_id, seat=seat)
    if len(table.players) == table.seats:
        raise TableFull(table.rules.book.cites.players, seats=table.seats)
    _check_anchor(command.anchor)
    if command.anchor in (table.fairness.server_anchor, *(player.anchor for player in table.players)):
        raise AnchorAlreadyUsed
    _check_signing_key(command)
    return (
        PlayerJoined(
            at=command.at,
            seat=len(table.players),
            player_id=command.player_id,
            name=command.name,
            kind=command.kind,
            anchor=command.anchor,
            chain_held_by=command.chain_held_by,
            signing_key=command.signing_key,
        ),
    )


def leave_game(command: LeaveGame, state: State) -> tuple[AnyEvent, ...]:
    """R16: give the seat back."""
    seated(gathering(state).table, command.seat)
    return (PlayerLeft(at=command.at, seat=command.seat),)


def rules_of_table(rulebook: str, options: Options, seats: int | None = None) -> tuple[Rules, int]:
    """The rules and the number of seats of a new table; raises the refusal that its creation would meet."""
    book = book_called(rulebook)
    wanted = book.players_max if seats is None else seats
    if not book.players_min <= wanted <= book.players_max:
        raise SeatsOutOfRange(
            book.cites.players,
            rulebook=book.id,
            players_min=book.players_min,
            players_max=book.players_max,
            seats=wanted,
        )
    for refusal in _option_problems(book, options, wanted):
        raise refusal
    return rules_of(book.id, book.version, options), wanted


def book_called(rulebook: str) -> Rulebook:
    """The newest book with this id; refuses an id that no book has."""
    book = latest(rulebook)
    if book is None:
        raise NoSuchRulebook(rulebook=rulebook, rulebooks=tuple(known.id for known in BOOKS))
    return book


def _option_problems(book: Rulebook, options: Options, seats: int) -> Iterator[Refusal]:
    if options.chips and book.chips_each is None:
        yield _not_in_book(book, "chips", options.chips, "the book says nothing of chips", *clauses_on("chips"))
    if options.wild_aces and not book.wild_aces:
        problem = "the book itself decides what is wild"
        yield _not_in_book(book, "wild_aces", options.wild_aces, problem, *clauses_on("wild_aces"))
    if options.raise_rule != DEFAULT_OPTIONS.raise_rule and not book.raise_variants:
        yield _not_in_book(book, "raise_rule", options.raise_rule, "the book has one raise rule", *book.raising.clauses)
    if not 1 <= options.dice_each <= DICE_EACH_MAX:
        yield OptionOutOfRange("R13", option="dice_each", allowed=f"1 to {DICE_EACH_MAX}", value=options.dice_each)
    if options.opener is not None and book.opening_roll is not None:
        yield OpenerNotChosen(book.cites.opener, rulebook=book.id)
    if options.opener is not None and not 0 <= options.opener < seats:
        yield OptionOutOfRange("R2", option="opener", allowed=f"a seat from 0 to {seats - 1}", value=options.opener)
    if options.turn_seconds is not None and not 1 <= options.turn_seconds <= TURN_SECONDS_MAX:
        allowed = f"1 to {TURN_SECONDS_MAX} seconds"
        yield OptionOutOfRange("R15", option="turn_seconds", allowed=allowed, value=options.turn_seconds)
    if options.turn_seconds is None and options.on_timeout != DEFAULT_OPTIONS.on_timeout:
        yield _not_in_book(book, "on_timeout", options.on_timeout, "it needs turn_seconds", "R15")


def _not_in_book(book: Rulebook, option: str, value: object, problem: str, *clauses: str) -> Refusal:
    return OptionNotInRulebook(*clauses, rulebook=book.id, option=option, value=value, problem=problem)


def _check_signing_key(command: JoinGame) -> None:
    if command.signing_key is None:
        return
    problem = problem_of_key(command.signing_key)
    if problem is not None:
        raise SigningKeyInvalid(problem=problem, length=len(command.signing_key))
    if command.chain_held_by != "player":
        raise SigningNeedsChain


def _check_anchor(anchor: bytes) -> None:
    if len(anchor) != LINK_LENGTH:
        raise AnchorInvalid(length=len(anchor))
