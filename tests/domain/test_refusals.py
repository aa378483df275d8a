"""Bad input: whatever a command holds, it either happens or is refused with a code, a sentence and the clauses behind
it, and a refusal changes nothing.
"""

import enum
import string
import uuid
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

import hypothesis
import msgspec
import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import refusals
from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    CreateGame,
    Forfeit,
    JoinGame,
    LeaveGame,
    PlaceBid,
    Roll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.deciding import decide
from domain.events import GameCreated, RollCalled
from domain.evolve import fold
from domain.options import Options
from domain.refusals import Malformed, Refusal
from domain.rulebooks import BOOKS, Rulebook
from domain.rulebooks.clauses import CLAUSES
from domain.state import State
from tests.extent import extent
from tests.made_tables import bids, chains_of, challenges, dealt, gathered, started
from tests.specification import Given, given

CODES = (
    "ALREADY_REROLLED",
    "ALREADY_ROLLED",
    "ANCHOR_ALREADY_USED",
    "ANCHOR_INVALID",
    "BID_NOT_HIGHER",
    "CHAIN_EXHAUSTED",
    "DICE_NOT_IN_CUP",
    "DICE_NOT_ROLLED",
    "FACE_OUT_OF_RANGE",
    "GAME_ALREADY_EXISTS",
    "GAME_ALREADY_STARTED",
    "GAME_ID_INVALID",
    "GAME_NOT_STARTED",
    "GAME_OVER",
    "LINK_INVALID",
    "MALFORMED",
    "NAME_INVALID",
    "NOTHING_SHOWN",
    "NOTHING_TO_ROLL",
    "NOT_ON_THE_CLOCK",
    "NOT_ROLLING_FOR_OPENER",
    "NOT_YOUR_BID",
    "NOT_YOUR_TURN",
    "NO_BID_TO_CHALLENGE",
    "NO_SUCH_GAME",
    "NO_SUCH_RULEBOOK",
    "NO_SUCH_SEAT",
    "NO_TURN_CLOCK",
    "OPENER_NOT_CHOSEN",
    "OPTION_NOT_IN_RULEBOOK",
    "OPTION_OUT_OF_RANGE",
    "PLAYER_ALREADY_SEATED",
    "PLAYER_ID_INVALID",
    "QUANTITY_OUT_OF_RANGE",
    "REASON_INVALID",
    "REQUEST_ID_INVALID",
    "REQUEST_ID_REUSED",
    "SEATS_OUT_OF_RANGE",
    "SEAT_OUT",
    "SERVER_LINK_INVALID",
    "SHOW_AND_REROLL_NOT_IN_RULEBOOK",
    "SIGNING_KEY_INVALID",
    "SIGNING_NEEDS_CHAIN",
    "TABLE_FULL",
    "TIME_NOT_UP",
    "TOO_FEW_HIDDEN_DICE",
    "TOO_FEW_PLAYERS",
    "WILD_CANNOT_OPEN",
    "WILD_NOT_BIDDABLE",
)
"""What clients tell refusals apart by: a code may be added here, and none may ever be changed or taken away."""

RAISED_ELSEWHERE = frozenset({"REQUEST_ID_INVALID", "REQUEST_ID_REUSED"})
"""Codes of refusals that no command meets, only a text, a byte string or a request."""

KINDS = sorted((kind for kind in Refusal.kinds() if kind.__module__ == refusals.__name__), key=lambda kind: kind.code())

TRACK = "bidding-track"
CHAINS = chains_of(TRACK, 2)
ONE_SEAT_LEFT = given(gathered(TRACK, 3)[:-1])
GATHERED = given(gathered(TRACK, 2))
ROLLING = given(started(TRACK, 2, StartGame(opener=0)))
ONE_ROLLED = ROLLING.after(CHAINS.roll(ROLLING.state, 1))
DEALT = dealt(TRACK, "6 * 4 4 2", "3 3 3 3 3")
BID = DEALT.after(bids(0, "2x6"))
OVER = DEALT.after(Forfeit(seat=0))
CHOOSING = given(started("pirates", 3))

CREATE = CreateGame(game_id="game", rulebook=TRACK, server_anchor=b"s" * 32, seats=2)
JOIN = JoinGame(player_id="player-9", name="Zoe", anchor=b"z" * 32)
SHOW = ShowAndReroll(seat=0, reroll=CHAINS.reroll(BID.state, 0, "6"))


def placeholders(kind: type[Refusal]) -> set[str]:
    """The names in the sentence of a refusal."""
    return {name for _, name, _, _ in string.Formatter().parse(kind.__doc__ or "") if name is not None}


def with_chains_of(length: int, table: Given) -> Given:
    """The same game with shorter chains."""
    created = table.events[0]
    assert isinstance(created, GameCreated)
    return given(replace(created, fairness=replace(created.fairness, chain_length=length)), table.events[1:])


BASE_POINT = b"\x58" + b"\x66" * 31
"""A point of Ed25519's curve that can be a key."""


def shown(dice: str) -> ShowAndReroll:
    """Seat 0 shows dice after its bid."""
    return ShowAndReroll(seat=0, reroll=CHAINS.reroll(BID.state, 0, dice))


EXAMPLES: dict[str, tuple[Given, AnyCommand]] = {
    "SIGNING_KEY_INVALID": (ONE_SEAT_LEFT, replace(JOIN, signing_key=b"short")),
    "SIGNING_NEEDS_CHAIN": (ONE_SEAT_LEFT, replace(JOIN, signing_key=BASE_POINT, chain_held_by="server")),
    "ALREADY_REROLLED": (BID.after(SHOW), SHOW),
    "ALREADY_ROLLED": (ONE_ROLLED, CHAINS.roll(ONE_ROLLED.state, 1)),
    "ANCHOR_ALREADY_USED": (ONE_SEAT_LEFT, replace(JOIN, anchor=chains_of(TRACK, 3).players[0].anchor)),
    "ANCHOR_INVALID": (given(), replace(CREATE, server_anchor=b"short")),
    "BID_NOT_HIGHER": (BID, bids(1, "2x6")),
    "CHAIN_EXHAUSTED": (
        with_chains_of(1, DEALT).after(bids(0, "3x2"), challenges(1)),
        Roll(seat=1, link=b"", server_link=b""),
    ),
    "DICE_NOT_IN_CUP": (BID, shown("5")),
    "DICE_NOT_ROLLED": (ONE_ROLLED, bids(0, "1x2")),
    "FACE_OUT_OF_RANGE": (DEALT, bids(0, "1x7")),
    "GAME_ALREADY_EXISTS": (GATHERED, CREATE),
    "GAME_ALREADY_STARTED": (ROLLING, JOIN),
    "GAME_ID_INVALID": (given(), replace(CREATE, game_id="no spaces")),
    "GAME_NOT_STARTED": (GATHERED, bids(0, "1x2")),
    "GAME_OVER": (OVER, bids(1, "1x2")),
    "LINK_INVALID": (ROLLING, replace(CHAINS.roll(ROLLING.state, 0), link=b"?" * 32)),
    "MALFORMED": (DEALT, Challenge(seat="0")),  # type: ignore[arg-type]  # the bad input is the example
    "NAME_INVALID": (GATHERED, replace(JOIN, name=" Zoe")),
    "NOTHING_SHOWN": (BID, shown("")),
    "NOTHING_TO_ROLL": (DEALT, CHAINS.roll(DEALT.state, 0)),
    "NOT_ON_THE_CLOCK": (dealt(TRACK, "2 2", "3 3", turn_seconds=30), TimeOut(seat=1, at=99_999)),
    "NOT_ROLLING_FOR_OPENER": (
        given(CHOOSING.events, RollCalled(seats=(0, 2), call=2, calls=1)),
        Roll(seat=1, link=b"", server_link=b""),
    ),
    "NOT_YOUR_BID": (BID, ShowAndReroll(seat=1, reroll=CHAINS.reroll(BID.state, 1, "3"))),
    "NOT_YOUR_TURN": (DEALT, bids(1, "1x2")),
    "NO_BID_TO_CHALLENGE": (DEALT, challenges(0)),
    "NO_SUCH_GAME": (given(), JOIN),
    "NO_SUCH_RULEBOOK": (given(), replace(CREATE, rulebook="poker")),
    "NO_SUCH_SEAT": (DEALT, Forfeit(seat=2)),
    "NO_TURN_CLOCK": (DEALT, TimeOut(seat=0)),
    "OPENER_NOT_CHOSEN": (given(gathered("pirates", 2)), StartGame(opener=0)),
    "OPTION_NOT_IN_RULEBOOK": (given(), replace(CREATE, options=Options(wild_aces=True))),
    "OPTION_OUT_OF_RANGE": (given(), replace(CREATE, options=Options(dice_each=0))),
    "PLAYER_ALREADY_SEATED": (GATHERED, replace(JOIN, player_id="player-1")),
    "PLAYER_ID_INVALID": (GATHERED, replace(JOIN, player_id="")),
    "QUANTITY_OUT_OF_RANGE": (DEALT, bids(0, "0x2")),
    "REASON_INVALID": (DEALT, AbandonGame(reason="")),
    "SEATS_OUT_OF_RANGE": (given(), replace(CREATE, seats=7)),
    "SEAT_OUT": (dealt(TRACK, "2 2", "", "3 3"), Forfeit(seat=1)),
    "SERVER_LINK_INVALID": (ONE_ROLLED, replace(CHAINS.roll(ONE_ROLLED.state, 0), server_link=b"?" * 32)),
    "SHOW_AND_REROLL_NOT_IN_RULEBOOK": (dealt("pirates", "2 3", "4 5").after(bids(0, "1x2")), shown("2")),
    "TABLE_FULL": (GATHERED, JOIN),
    "TIME_NOT_UP": (dealt(TRACK, "2 2", "3 3", turn_seconds=30), TimeOut(seat=0, at=29_999)),
    "TOO_FEW_HIDDEN_DICE": (BID, shown("6 * 4 4 2")),
    "TOO_FEW_PLAYERS": (given(gathered(TRACK, 2)[:-1]), StartGame()),
    "WILD_CANNOT_OPEN": (dealt("palafico", "2 2", "3 3"), bids(0, "1x1")),
    "WILD_NOT_BIDDABLE": (dealt("pirates", "2 2", "3 3"), bids(0, "1x1")),
}
"""For each code a game so far and a command that is refused with it."""

PHASES: dict[str, State] = {
    "nothing": given().state,
    "gathering": GATHERED.state,
    "choosing the opener": CHOOSING.state,
    "rolling": ONE_ROLLED.state,
    "opening": DEALT.state,
    "raising": BID.state,
    "raising on the clock": dealt(TRACK, "2 2", "3 3", turn_seconds=30, on_timeout="lowest_bid").state,
    "a palafico round": dealt("palafico", "2", "3 3", "4 4", palafico=True).after(bids(0, "1x1")).state,
    "settling": fold(BID.when(challenges(1)).events[:2], BID.state),
    "ended": OVER.state,
    "abandoned": DEALT.after(AbandonGame(reason="the lights went out")).state,
}

COMMANDS: tuple[AnyCommand, ...] = (
    CREATE,
    JOIN,
    LeaveGame(seat=0),
    StartGame(opener=0),
    CHAINS.roll(ONE_ROLLED.state, 0),
    PlaceBid(seat=0, quantity=1, face=2),
    PlaceBid(seat=0, quantity=2, face=6, reroll=CHAINS.reroll(DEALT.state, 0, "6")),
    SHOW,
    challenges(1),
    Forfeit(seat=0),
    TimeOut(seat=0, at=99_999),
    AbandonGame(reason="the lights went out"),
)
"""One command of each kind that is accepted in one of the phases."""


class Colour(enum.Enum):
    """An enum member: it is not a number, although its value is one."""

    RED = 0


SURROGATE = "\ud800"
HUGE = 10**5000

BAD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    HUGE,
    -HUGE,
    2**64,
    0.0,
    float("nan"),
    "",
    "0",
    SURROGATE,
    "🎲",
    "{seat}",
    "\x00",
    "x" * 1000,
    b"",
    b"\xff" * 32,
    bytearray(32),
    (),
    (0,),
    [],
    [[["0"]]],
    [HUGE],
    {},
    {"shown": [6], "link": b"", "server_link": b""},
    {SURROGATE: HUGE},
    {0},
    Colour.RED,
    Decimal(1),
    uuid.UUID(int=1),
    date(1970, 1, 1),
    object(),
    Options,
)

GARBAGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(4000, 6000).map(lambda digits: 10**digits)
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=50)
    | st.binary(max_size=40)
    | st.integers(0, len(BAD_VALUES) - 1).map(BAD_VALUES.__getitem__),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(("shown", "link", "server_link", "chips", "seat")), inner, max_size=3)
    ),
    max_leaves=6,
)

Struct = TypeVar("Struct", bound=msgspec.Struct)


def spoiled(draw: st.DrawFn, value: Struct) -> Struct:
    """The same command with garbage in some of its fields, or in fields of its parts."""
    names = [field.name for field in msgspec.structs.fields(value)]
    changes: dict[str, Any] = {}
    for name in draw(st.sets(st.sampled_from(names), min_size=1, max_size=3)):
        part = getattr(value, name)
        changes[name] = (
            spoiled(draw, part) if isinstance(part, msgspec.Struct) and draw(st.booleans()) else draw(GARBAGE)
        )
    return replace(value, **changes)


def each_field_replaced(value: Struct) -> Iterator[Struct]:
    """The same command with one bad value in one of its fields, or in one of a part, in every way there is."""
    for field in msgspec.structs.fields(value):
        part = getattr(value, field.name)
        inner = each_field_replaced(part) if isinstance(part, msgspec.Struct) else ()
        for bad in (*BAD_VALUES, *inner):
            yield replace(value, **{field.name: bad})


@st.composite
def spoiled_commands(draw: st.DrawFn) -> AnyCommand:
    """A command that would make sense, but for the garbage in it."""
    return spoiled(draw, draw(st.sampled_from(COMMANDS)))


def attempted(command: AnyCommand, state: State) -> State | Refusal:
    """The state after a command, or its refusal. Any other exception is let through and fails the test."""
    try:
        events = decide(command, state)
    except Refusal as refusal:
        check_can_be_told(refusal)
        return refusal
    return fold(events, state)


def check_can_be_told(refusal: Refusal) -> None:
    """A refusal must have a known code, a text that can be sent and clauses that exist."""
    assert type(refusal).code() in CODES
    assert str(refusal).encode()
    assert repr(refusal).encode()
    assert set(refusal.clauses) <= CLAUSES.keys()


def test_the_codes_of_the_refusals_never_change() -> None:
    assert tuple(kind.code() for kind in KINDS) == CODES


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code())
def test_a_refusal_says_in_a_sentence_what_is_wrong(kind: type[Refusal]) -> None:
    names = placeholders(kind)

    refusal = kind(**{name: f"<{name}>" for name in names})

    assert "{" not in refusal.sentence
    assert all(f"<{name}>" in refusal.sentence for name in names)
    assert refusal.sentence[0].isupper() or refusal.sentence[0] == "<"
    assert refusal.sentence.endswith(".")
    assert str(refusal) == refusal.sentence


def test_every_refusal_has_an_example_of_a_command_that_meets_it() -> None:
    assert set(EXAMPLES) | RAISED_ELSEWHERE == set(CODES)
    assert not set(EXAMPLES) & RAISED_ELSEWHERE


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_refused_command_gets_its_code_and_its_reasons_and_changes_nothing(code: str) -> None:
    table, command = EXAMPLES[code]
    state = table.state

    with pytest.raises(Refusal) as refused:
        decide(command, state)

    refusal = refused.value
    assert type(refusal).code() == code
    assert placeholders(type(refusal)) <= refusal.fields.keys()
    assert not set("{}") & set(refusal.sentence)
    assert refusal.reasons == tuple(CLAUSES[clause] for clause in refusal.clauses)
    assert all(clause in str(refusal) for clause in refusal.clauses)
    assert state == table.state


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_same_command_is_refused_in_the_same_way_again(code: str) -> None:
    table, command = EXAMPLES[code]

    first, second = table.when(command).refusal, table.when(command).refusal

    assert first is not None
    assert first == second


def test_refusals_for_different_reasons_are_not_the_same() -> None:
    assert DEALT.when(bids(0, "0x2")).refusal != DEALT.when(bids(0, "1001x2")).refusal
    assert DEALT.when(bids(0, "0x2")).refusal != DEALT.when(bids(0, "1x7")).refusal
    assert DEALT.when(bids(0, "0x2")).refusal != "A bid names 1 to 1000 dice, not 0."


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_every_clause_that_a_book_cites_exists(book: Rulebook) -> None:
    citations = [clause for clause in msgspec.structs.asdict(book.cites).values() if clause is not None]
    raises = [book.raising, *book.raise_variants.values(), *([book.palafico.raising] if book.palafico else [])]
    cited = [*citations, *(clause for raising in raises for clause in raising.clauses)]

    assert set(cited) <= CLAUSES.keys()


def test_chains_can_run_out_by_rerolling_too() -> None:
    table = with_chains_of(2, DEALT)
    first = table.after(PlaceBid(seat=0, quantity=2, face=6, reroll=CHAINS.reroll(DEALT.state, 0, "6")))

    first.when(PlaceBid(seat=1, quantity=3, face=6, reroll=CHAINS.reroll(first.state, 1, "3"))).refuses(
        refusals.ChainExhausted, number=3, length=2
    )


@pytest.mark.parametrize("nothing_like_a_command", [None, 5, "Challenge", {"type": "Challenge", "seat": 0}, Challenge])
def test_what_is_no_command_is_malformed(nothing_like_a_command: Any) -> None:
    DEALT.when(nothing_like_a_command).refuses(Malformed, what="command")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (Challenge(seat=True), "Expected `int`, got `bool` - at `$.seat`"),
        (Challenge(seat=1.0), "Expected `int`, got `float` - at `$.seat`"),  # type: ignore[arg-type]
        (Challenge(seat=None), "Expected `int`, got `null` - at `$.seat`"),  # type: ignore[arg-type]
        (replace(CREATE, server_anchor="s" * 32), "Expected `bytes`, got `str` - at `$.server_anchor`"),
        (replace(CREATE, options=Options(dice_each="5")), "at `$.options.dice_each`"),  # type: ignore[arg-type]
        (replace(SHOW, reroll=replace(SHOW.reroll, shown=("6",))), "at `$.reroll.shown[0]`"),
    ],
)
def test_a_malformed_command_is_told_where_the_wrong_value_stands(command: AnyCommand, problem: str) -> None:
    refusal = BID.when(command).refuses(Malformed, what=f"{type(command).__name__} command")

    assert problem in str(refusal)


@pytest.mark.parametrize(
    "seat", [HUGE, -HUGE, 2**64], ids=["a number of 5001 digits", "its negative", "more than 64 bits"]
)
def test_a_huge_number_is_refused_without_being_written_out(seat: int) -> None:
    refusal = DEALT.when(Challenge(seat=seat)).refuses(refusals.NoSuchSeat, seat=seat)

    assert str(refusal) == (
        "There is no player on seat a number that long; this table has 2 players, and their seats are counted from 0."
    )


@pytest.mark.parametrize("seat", [2**63 - 1, -(2**63), 2**64 - 1])
def test_a_number_that_fits_into_a_message_is_written_out(seat: int) -> None:
    refusal = DEALT.when(Challenge(seat=seat)).refuses(refusals.NoSuchSeat)

    assert refusal.shown["seat"] == str(seat)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (replace(CREATE, rulebook=""), 'There is no rulebook ""; the books are'),
        (replace(CREATE, rulebook="pirates", options=Options(chips=True)), "has no option chips=true:"),
    ],
)
def test_a_sentence_has_no_gap_and_no_word_of_the_program(command: AnyCommand, sentence: str) -> None:
    refusal = given().when(command).refusal

    assert refusal is not None
    assert sentence in refusal.sentence
    assert refusal.shown.get("rulebook", "") in ("", "pirates")


@pytest.mark.parametrize(
    ("name", "sentence_part"),
    [
        (SURROGATE, "\\ud800 does not"),
        ("x" * 1000, "x" * 117 + "... does not"),
        ("", ' "" does not'),
        (" ", ' " " does not'),
        ("{seat}", None),
        ("🎲", None),
    ],
)
def test_odd_texts_are_shown_so_that_any_client_can_read_them(name: str, sentence_part: str | None) -> None:
    decided = ONE_SEAT_LEFT.when(replace(JOIN, name=name))

    if sentence_part is None:
        assert decided.refusal is None
    else:
        assert sentence_part in str(decided.refuses(refusals.NameInvalid))


@pytest.mark.parametrize(
    ("phase", "command"),
    [
        ("nothing", replace(CREATE, options={})),
        ("nothing", replace(CREATE, options={"chips": True})),
        ("nothing", replace(CREATE, game_id=uuid.UUID(int=1))),
        ("nothing", replace(CREATE, options=Options(raise_rule=SURROGATE))),  # type: ignore[arg-type]
        ("gathering", replace(JOIN, kind=SURROGATE)),
        ("gathering", replace(JOIN, name=date(1970, 1, 1))),
        ("gathering", replace(JOIN, name=Decimal(1))),
        ("raising", Challenge(seat=Colour.RED)),  # type: ignore[arg-type]
        ("opening", replace(COMMANDS[6], reroll=msgspec.structs.asdict(SHOW.reroll))),
        ("raising", replace(SHOW, reroll=replace(SHOW.reroll, shown=[6]))),
        ("raising", replace(SHOW, reroll=replace(SHOW.reroll, shown={6}))),
    ],
    ids=[
        "a dict for options",
        "a dict for options with a choice",
        "a UUID for a game id",
        "half a character for a raise rule",
        "half a character for a kind",
        "a date for a name",
        "a decimal for a name",
        "an enum for a seat",
        "a dict for a reroll",
        "a list for the shown dice",
        "a set for the shown dice",
    ],
)
def test_a_value_that_resembles_the_right_type_is_understood_or_refused(phase: str, command: AnyCommand) -> None:
    assert attempted(command, PHASES[phase]) != PHASES[phase]


@pytest.mark.parametrize("phase", PHASES)
@hypothesis.settings(max_examples=extent(25, 1_000))
@hypothesis.given(command=spoiled_commands())
def test_garbage_in_a_command_never_breaks_the_game(phase: str, command: AnyCommand) -> None:
    assert attempted(command, PHASES[phase]) != PHASES[phase]


@pytest.mark.parametrize("phase", PHASES)
def test_no_single_bad_value_in_any_field_breaks_the_game(phase: str) -> None:
    spoiled_once = [bad for command in COMMANDS for bad in each_field_replaced(command)]

    outcomes = [attempted(bad, PHASES[phase]) for bad in spoiled_once]

    assert len(outcomes) > 1000
    assert PHASES[phase] not in outcomes


@pytest.mark.parametrize("phase", PHASES)
def test_until_a_game_is_over_some_good_command_is_accepted(phase: str) -> None:
    outcomes = [attempted(command, PHASES[phase]) for command in COMMANDS]

    refused = [isinstance(outcome, Refusal) for outcome in outcomes]

    assert all(refused) == (phase in {"ended", "abandoned"})


def test_a_book_without_show_and_reroll_refuses_it_with_no_clause_of_another_book() -> None:
    table, command = EXAMPLES["SHOW_AND_REROLL_NOT_IN_RULEBOOK"]

    assert table.when(command).refuses(refusals.ShowAndRerollNotInRulebook, rulebook="pirates").clauses == ()
