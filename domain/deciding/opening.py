"""Who opens the first round: named, drawn or found by a roll (R2, R3, R4)."""

from domain.commands import Roll, StartGame
from domain.deciding.checks import gathering, players_link, seated, servers_link
from domain.deciding.rounds import round_begins
from domain.events import (
    AnyEvent,
    GameStarted,
    OpenerChosen,
    OpeningDiceRolled,
    OpeningRoll,
    RollCalled,
    Rolled,
)
from domain.evolve import evolve, fold
from domain.fairness.derivation import deal_key, drawn, hand
from domain.refusals import AlreadyRolled, NotRollingForOpener, OpenerNotChosen, TooFewPlayers
from domain.state import ChoosingOpener, Gathering, State


def start_game(command: StartGame, state: State) -> tuple[AnyEvent, ...]:
    """Begin with the named opener, or with a roll or a draw for the opener."""
    lobby = gathering(state)
    rules, players = lobby.table.rules, lobby.table.players
    if len(players) < rules.book.players_min:
        raise TooFewPlayers(
            rules.book.cites.players,
            rulebook=rules.book.id,
            players_min=rules.book.players_min,
            players=len(players),
        )
    opener = _named_opener(command, lobby)
    chips = rules.book.chips_each if rules.options.chips else None
    started = GameStarted(at=command.at, dice_each=rules.options.dice_each, chips_each=chips)
    if opener is None:
        return (started, _call_to_roll(command.at, 1, tuple(range(len(players)))))
    after = evolve(lobby, started)
    assert isinstance(after, ChoosingOpener)
    chosen = OpenerChosen(at=command.at, seat=opener, how="named")
    return (started, chosen, *round_begins(command.at, rules, after.standing, 1, opener))


def _named_opener(command: StartGame, lobby: Gathering) -> int | None:
    book = lobby.table.rules.book
    if command.opener is not None and book.opening_roll is not None:
        raise OpenerNotChosen(book.cites.opener, rulebook=book.id)
    opener = lobby.table.options.opener if command.opener is None else command.opener
    if opener is not None:
        seated(lobby.table, opener)
    return opener


def _call_to_roll(at: int, call: int, seats: tuple[int, ...]) -> RollCalled:
    return RollCalled(at=at, seats=seats, call=call, calls=1)


def roll_for_opener(command: Roll, state: ChoosingOpener) -> tuple[AnyEvent, ...]:
    """Roll for the opener; the last roll settles it, or calls those who tied to roll again."""
    cited = state.table.rules.book.cites.opener
    if command.seat not in state.contenders:
        raise NotRollingForOpener(cited, seat=command.seat, seats=state.contenders)
    if command.seat not in state.waiting:
        raise AlreadyRolled(cited, seat=command.seat, waiting=state.waiting)
    players_link(state, command.seat, command.link)
    rolled = Rolled(at=command.at, seat=command.seat, link=command.link)
    if len(state.waiting) > 1:
        return (rolled,)
    servers_link(state, command.server_link)
    after = evolve(state, rolled)
    assert isinstance(after, ChoosingOpener)
    return (rolled, *_opener_found(command, after))


def _opener_found(command: Roll, state: ChoosingOpener) -> tuple[AnyEvent, ...]:
    rules = state.table.rules
    key = deal_key(state.standing.transcript, state.call, command.server_link, state.links)
    rolls = tuple(OpeningRoll(seat, hand(key, seat, rules.opening_dice)) for seat in state.contenders)
    if rules.book.opening_roll is None:
        made = OpeningDiceRolled(at=command.at, server_link=command.server_link, rolls=())
        return (made, *_opener_opens(state, made, drawn(key, state.contenders), drawn_=True))
    made = OpeningDiceRolled(at=command.at, server_link=command.server_link, rolls=rolls)
    rank = rules.book.opening_roll.rank
    best = max(rank(roll.dice) for roll in rolls)
    highest = tuple(roll.seat for roll in rolls if rank(roll.dice) == best)
    if len(highest) > 1:
        return (made, _call_to_roll(command.at, state.standing.next_call, highest))
    return (made, *_opener_opens(state, made, highest[0], drawn_=False))


def _opener_opens(state: ChoosingOpener, made: OpeningDiceRolled, opener: int, *, drawn_: bool) -> tuple[AnyEvent, ...]:
    after = fold((made,), state)
    assert isinstance(after, ChoosingOpener)
    chosen = OpenerChosen(at=made.at, seat=opener, how="drawn" if drawn_ else "rolled")
    return (chosen, *round_begins(made.at, state.table.rules, after.standing, 1, opener))
