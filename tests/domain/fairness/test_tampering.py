"""Whatever is changed in what a game tells of its dice, the check finds it."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import Forfeit, StartGame
from domain.events import (
    AnyEvent,
    BidPlaced,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameCreated,
    GameEnded,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    RevealedDeal,
    Rolled,
    RoundStarted,
)
from domain.fairness.chain import make_chain
from domain.fairness.derivation import VERSION, deal_key, first_transcript, hand
from domain.fairness.findings import Failure
from domain.fairness.verification import verify
from domain.state import Ended, Rolling
from domain.views import seen_by
from tests.domain.fairness.matters import MATTERS
from tests.domain.fairness.play import Play
from tests.made_tables import GAME_ID, bids, chains_of, challenges, started
from tests.specification import given

Events = list[AnyEvent]

BOOKS = ("bidding-track", "prediction-track")


@cache
def game(rulebook: str) -> Play:
    """A complete game with all that its book has: a draw or ties for the opener, rerolls, and a round cut short."""
    return next(play for number in range(1000) if _has_all(play := _with_a_round_cut_short(rulebook, number)))


def _with_a_round_cut_short(rulebook: str, number: int) -> Play:
    play = Play(f"tamper-{number}", rulebook, 3, dice_each=3)
    play.start()
    while not isinstance(play.state, Ended):
        if isinstance(play.state, Rolling) and len(play.state.waiting) == 1 and _is_to_be_cut(play.state):
            play.do(Forfeit(seat=play.state.waiting[0]))
        else:
            play.step()
    return play


def _is_to_be_cut(state: Rolling) -> bool:
    return state.round.number == 2 and len(state.standing.in_play) == 3


def _has_all(play: Play) -> bool:
    kinds = Counter(type(event) for event in play.events)
    rolls_or_ties = kinds[DiceRerolled] >= 2 or kinds[OpeningDiceRolled] >= 2
    return rolls_or_ties and all(kinds[kind] for kind in (OpeningDiceRolled, PlayerLeft, PlayerForfeited, GameEnded))


def variants(value: Any) -> Iterator[Any]:
    """A value with any one thing in it changed: a number, a text, a bit, an item more or less or in another place."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from (replace(value, **{name: other}) for other in variants(getattr(value, name)))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield value[:index] + value[index + 1 :]
            yield value[: index + 1] + value[index:]
            yield from ((*value[:index], other, *value[index + 1 :]) for other in variants(item))
            if index and value[index - 1] != item:
                yield (*value[: index - 1], item, value[index - 1], *value[index + 1 :])
    elif isinstance(value, bytes):
        yield from (
            value[:-1],
            value + b"\0",
            b"",
            bytes([value[0] ^ 1]) + value[1:],
            value[:-1] + bytes([value[-1] ^ 128]),
        )
    elif isinstance(value, int):
        yield from (value - 1, value + 1)
    elif isinstance(value, str):
        yield value + "x"


def changed(events: Events) -> Iterator[tuple[str, Events]]:
    """The events with any one thing changed that matters, in those that matter."""
    for index, event in enumerate(events):
        for name in MATTERS.get(type(event).__name__, ()):
            for other in variants(getattr(event, name)):
                where = f"{index} {type(event).__name__}.{name} = {other}"
                yield where, [*events[:index], replace(event, **{name: other}), *events[index + 1 :]]


def without_leaving(events: Events) -> Events:
    """The same game, as if nobody had left before the start: what a player who left committed to does not matter."""
    (left,) = (index for index, event in enumerate(events) if isinstance(event, PlayerLeft))
    return events[: left - 1] + events[left + 1 :]


@pytest.mark.parametrize("rulebook", BOOKS)
@pytest.mark.parametrize("seen", ["public", "events"])
def test_any_change_of_a_die_a_link_an_anchor_a_seat_or_a_count_is_found(rulebook: str, seen: str) -> None:
    events = without_leaving(getattr(game(rulebook), seen))
    assert verify(events).holds

    missed = [where for where, tampered in changed(events) if verify(tampered).holds]

    assert missed == []


def of_dice(events: Events) -> Events:
    """The events that matter to the dice, and the bids, which say who may reroll."""
    return [event for event in events if type(event).__name__ in MATTERS or isinstance(event, BidPlaced)]


@pytest.mark.parametrize("rulebook", BOOKS)
def test_an_event_that_is_missing_is_found(rulebook: str) -> None:
    """Unless it is the last, since a game may still be running, or it touches no die.

    Such are a bid on which no reroll hangs, and a roll in a round cut short, whose link is void.
    """
    events = of_dice(game(rulebook).public)
    missing = [event for at, event in enumerate(events[:-1]) if verify(events[:at] + events[at + 1 :]).holds]
    forfeits = [at for at, event in enumerate(events) if isinstance(event, PlayerForfeited)]
    void = [event for at in forfeits for event in events[at - 2 : at]]

    assert [event for event in missing if not isinstance(event, BidPlaced)] == void


@pytest.mark.parametrize("rulebook", BOOKS)
def test_an_event_that_comes_twice_is_found(rulebook: str) -> None:
    events = of_dice(game(rulebook).public)
    doubled = ((event, [*events[:index], event, *events[index:]]) for index, event in enumerate(events))

    assert [event for event, more in doubled if verify(more).holds and not isinstance(event, BidPlaced)] == []


@pytest.mark.parametrize("rulebook", BOOKS)
def test_two_events_in_the_wrong_order_are_found(rulebook: str) -> None:
    """Except where the order makes no difference to any die: who rolled first, bid first or lost dice first."""
    events = of_dice(game(rulebook).public)
    for index, (first, second) in enumerate(pairwise(events)):
        swapped = [*events[:index], second, first, *events[index + 2 :]]
        unordered = type(first) is type(second) and isinstance(first, Rolled | BidPlaced | DiceLost)
        assert unordered or not verify(swapped).holds, (first, second)


@pytest.mark.parametrize("rulebook", BOOKS)
def test_a_round_left_out_or_told_twice_or_in_the_wrong_place_is_found(rulebook: str) -> None:
    events = of_dice(game(rulebook).public)
    starts = [index for index, event in enumerate(events) if isinstance(event, RoundStarted)]
    first, second, third, *_ = starts

    assert not verify(events[:first] + events[second:]).holds
    assert not verify(events[:second] + events[first:]).holds
    assert not verify(events[:first] + events[second:third] + events[first:second] + events[third:]).holds


def swapped_seats(event: AnyEvent) -> AnyEvent:
    """An event in which the first two seats have changed places."""
    other = {0: 1, 1: 0}
    match event:
        case Rolled(seat=seat) | DiceRerolled(seat=seat) | DiceLost(seat=seat) | PlayerForfeited(seat=seat):
            return replace(event, seat=other.get(seat, seat))
        case CupsLifted(deals=deals, dice=(first, second, *rest)):
            return replace(event, deals=tuple(_swapped_deal(deal) for deal in deals), dice=(second, first, *rest))
        case _:
            return event


def _swapped_deal(deal: RevealedDeal) -> RevealedDeal:
    if deal.reroll_of is not None:
        return replace(deal, reroll_of={0: 1, 1: 0}.get(deal.reroll_of, deal.reroll_of))
    first, second, *rest = deal.hands
    return replace(deal, hands=(second, first, *rest))


@pytest.mark.parametrize("kind", [Rolled, CupsLifted, (Rolled, DiceRerolled, CupsLifted, DiceLost, PlayerForfeited)])
def test_dice_or_links_of_one_seat_given_to_another_are_found(kind: Any) -> None:
    events = game("bidding-track").public

    assert not verify(swapped_seats(event) if isinstance(event, kind) else event for event in events).holds


def test_anchors_that_have_changed_places_are_found() -> None:
    events = without_leaving(game("bidding-track").public)
    anchors = [event.anchor for event in events if isinstance(event, PlayerJoined)]
    anchors[0], anchors[1] = anchors[1], anchors[0]
    swapped = [
        replace(event, anchor=anchors[event.seat]) if isinstance(event, PlayerJoined) else event for event in events
    ]

    assert {failure.party for failure in verify(swapped).failures} >= {0, 1}


def test_dice_changed_everywhere_alike_are_found() -> None:
    """A server that lays open other dice and is consistent about it is still found out by the links."""
    play = game("bidding-track")

    def with_a_six(hands: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple((7 - dice[0], *dice[1:]) if dice else () for dice in hands)

    for index, event in enumerate(play.public):
        if isinstance(event, CupsLifted) and len(event.deals) == 1:
            deals = (replace(event.deals[0], hands=with_a_six(event.deals[0].hands)),)
            forged = [*play.public[:index], replace(event, deals=deals, dice=with_a_six(event.dice))]
            assert {failure.index for failure in verify(forged).failures} == {index}


def test_dice_that_were_rerolled_away_are_proven_too() -> None:
    play = game("bidding-track")
    index, lifted = next(
        (index, event)
        for index, event in enumerate(play.public)
        if isinstance(event, CupsLifted) and len(event.deals) > 1
    )
    seat = lifted.deals[1].reroll_of
    assert seat is not None
    hands = lifted.deals[0].hands
    gone = tuple(1 + die % 6 for die in hands[seat])
    deal = replace(lifted.deals[0], hands=(*hands[:seat], gone, *hands[seat + 1 :]))

    failures = verify([*play.public[:index], replace(lifted, deals=(deal, *lifted.deals[1:]))]).failures

    assert [failure.index for failure in failures] == [index]


def first_round() -> tuple[Events, CupsLifted]:
    """A first round of two players up to the reveal, and the reveal."""
    chains = chains_of("single-hand", 2)
    table = given(started("single-hand", 2, StartGame(opener=0)))
    for seat in (0, 1):
        table = table.after(chains.roll(table.state, seat))
    table = table.after(bids(0, "1x2"))
    return [seen_by(event, None) for event in table.events], table.when(challenges(1)).one(CupsLifted)


def test_a_server_that_answers_with_a_link_of_another_chain_is_found_even_if_its_dice_fit() -> None:
    """The dice are made from the false link, so that only the chain can tell."""
    events, lifted = first_round()
    chains = chains_of("single-hand", 2)
    transcript = first_transcript(GAME_ID, chains.server.anchor, tuple(chain.anchor for chain in chains.players))
    links = tuple((seat, chain.link(1)) for seat, chain in enumerate(chains.players))
    false_link = make_chain(b"f" * 32, GAME_ID, 9).link(1)
    key = deal_key(transcript, 1, false_link, links)
    dice = tuple(hand(key, seat, 5) for seat in (0, 1))

    forged = replace(lifted, deals=(RevealedDeal(false_link, dice),), dice=dice)

    assert verify([*events, lifted]).holds
    assert verify([*events, forged]).failures == (
        Failure(len(events), "server", "The link does not lead to the one revealed before it."),
    )


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, "The link was revealed before."),
        (2, "The link is number 2; number 1 was called for."),
        (3, "The link does not lead to the one revealed before it."),
    ],
)
def test_a_failure_says_who_did_what_and_where(number: int, sentence: str) -> None:
    events, _ = first_round()
    chain = chains_of("single-hand", 2).players[1]
    position = max(at for at, event in enumerate(events) if isinstance(event, Rolled))

    events[position] = replace(events[position], link=chain.link(number))

    assert verify(events).failures == (Failure(position, 1, sentence),)


def test_a_chain_used_beyond_its_end_is_found() -> None:
    events, lifted = first_round()
    created = events[0]
    assert isinstance(created, GameCreated)
    ended = replace(created, fairness=replace(created.fairness, chain_length=0))

    failures = verify([ended, *events[1:], lifted]).failures

    assert failures[0] == Failure(0, "server", "The chains of this table have 73 links.")
    assert [failure.party for failure in failures[1:]] == [0, 1, "server"]
    assert {failure.sentence for failure in failures[1:]} == {"The link is beyond the end of the chain."}


def test_a_derivation_of_an_unknown_version_can_not_be_checked() -> None:
    events, _ = first_round()
    created = events[0]
    assert isinstance(created, GameCreated)
    other = replace(created, fairness=replace(created.fairness, version=VERSION + 1))

    assert verify([other, *events[1:]]).failures == (
        Failure(
            0, "server", "This check does not know version 2 of the derivation; the check could not go on from here."
        ),
    )


def test_dice_shown_that_never_lay_under_the_cup_are_the_seats_failure() -> None:
    """The dice shown are made up, and the dice that lay there in the end are told to match."""
    events = game("bidding-track").public
    index = next(at for at, event in enumerate(events) if isinstance(event, DiceRerolled))
    rerolled = events[index]
    assert isinstance(rerolled, DiceRerolled)
    end, lifted = next((at, event) for at, event in enumerate(events) if at > index and isinstance(event, CupsLifted))
    had = lifted.deals[0].hands[rerolled.seat]
    made_up = tuple(next(face for face in range(1, 7) if face not in had) for _ in rerolled.shown)
    dice = list(lifted.dice)
    dice[rerolled.seat] = made_up + dice[rerolled.seat][len(made_up) :]

    tampered = [*events[:end], replace(lifted, dice=tuple(dice))]
    tampered[index] = replace(rerolled, shown=made_up)

    assert (Failure(end, rerolled.seat, "It showed dice that did not lie under its cup.")) in verify(tampered).failures


def test_a_seat_that_was_told_other_dice_than_were_laid_open_can_prove_it() -> None:
    events, lifted = first_round()
    dealt = events[-2]
    assert isinstance(dealt, DiceDealt)
    mine = lifted.deals[0].hands[0]

    told_true = [*events[:-2], replace(dealt, hands=(mine, None)), events[-1], lifted]
    told_false = [*events[:-2], replace(dealt, hands=(tuple(7 - die for die in mine), None)), events[-1], lifted]

    assert verify(told_true).holds
    (failure,) = verify(told_false).failures
    assert failure.sentence == "The deal itself showed something else."


def test_nothing_counts_as_proven_from_the_first_failure_on() -> None:
    events = of_dice(game("bidding-track").public)
    index = next(at for at, event in enumerate(events) if isinstance(event, CupsLifted))
    proven, lifted = verify(events[:index]), events[index]
    assert isinstance(lifted, CupsLifted)

    findings = verify([*events[:index], replace(lifted, dice=()), *events[index + 1 :]])

    assert findings.failures == (Failure(index, "server", findings.failures[0].sentence),)
    assert (findings.links, findings.deals) == (proven.links, proven.deals + len(lifted.deals))


JUNK: tuple[Any, ...] = (None, -1, 10**5000, 2**63, 0.5, "x", b"", (), ((),), object(), True, "\ud800", (None,), {})


def spoilt(events: Events, random: Random) -> list[Any]:
    """Events that were changed at random."""
    mixed: list[Any] = [*events]
    for _ in range(random.randrange(1, 6)):
        index = random.randrange(len(mixed))
        event = mixed[index]
        match random.randrange(5):
            case 0:
                del mixed[index]
            case 1:
                mixed.insert(random.randrange(len(mixed)), event)
            case 2:
                mixed[index] = random.choice(JUNK)
            case 3 if isinstance(event, msgspec.Struct):
                mixed[index] = replace(event, **{random.choice(event.__struct_fields__): random.choice(JUNK)})
            case _:
                random.shuffle(mixed)
        mixed = mixed or [None]
    return mixed


@pytest.mark.parametrize("rulebook", BOOKS)
def test_whatever_the_events_are_like_there_are_findings_and_no_error(rulebook: str) -> None:
    random = Random(rulebook)
    found = 0
    for _ in range(500):
        findings = verify(spoilt(game(rulebook).events, random))
        found += not findings.holds

    assert found > 400


@pytest.mark.parametrize("seat", [-1, 3, 256, 2**62])
def test_a_seat_that_does_not_exist_is_a_finding(seat: int) -> None:
    events = game("bidding-track").public
    for index, event in enumerate(events):
        if "seat" in event.__struct_fields__ and type(event).__name__ in MATTERS:
            assert not verify([*events[:index], replace(event, seat=seat), *events[index + 1 :]]).holds
