"""One honest party among server and players is enough: nobody can choose a die, and nobody knows one too early."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import product

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import AnyCommand, ShowAndReroll, StartGame
from domain.deciding.checks import whole
from domain.events import AnyEvent, DiceRerolled, GameCreated, Hand
from domain.fairness.chain import make_chain
from domain.fairness.derivation import deal_key, drawn, first_transcript, hand, next_transcript
from domain.state import Bidding
from domain.views import seen_by
from tests.domain.fairness.chance import is_even
from tests.made_tables import GAME_ID, Chains, bids, chains_of, challenges, gathered, started
from tests.specification import Given, given

BOOK = "bidding-track"
PARTIES = ("the server", "seat 0", "seat 1", "seat 2")
LENGTH = 4


def seeds(name: str, number: int) -> Iterator[bytes]:
    """So many seeds of one party."""
    return (sha256(f"{name} {index}".encode()).digest() for index in range(number))


def dice_of(secrets: tuple[bytes, ...], deal: int = 1) -> tuple[Hand, ...]:
    """The hands of three seats in a deal that follows from everybody's seed, the server's first."""
    server, *players = (make_chain(secret, "game", LENGTH) for secret in secrets)
    transcript = first_transcript("game", server.anchor, tuple(chain.anchor for chain in players))
    for number in range(1, deal):
        links = tuple((seat, chain.link(number)) for seat, chain in enumerate(players))
        transcript = next_transcript(transcript, number, links)
    links = tuple((seat, chain.link(deal)) for seat, chain in enumerate(players))
    key = deal_key(transcript, deal, server.link(deal), links)
    return tuple(hand(key, seat, 5) for seat in range(3))


def with_honest(party: int, others: tuple[bytes, ...], seed: bytes) -> tuple[bytes, ...]:
    return (*others[:party], seed, *others[party:])


def sixes(hands: tuple[Hand, ...]) -> int:
    return sum(dice.count(6) for dice in hands)


@pytest.mark.parametrize("party", range(4), ids=PARTIES)
@pytest.mark.parametrize("deal", [1, 3])
def test_dice_are_even_whoever_is_the_honest_one_and_whatever_the_others_chose(party: int, deal: int) -> None:
    """The others try many seeds against a guess at the honest one, keep the best, and gain nothing by it."""
    guess = b"g" * 32
    tried = list(zip(seeds("a", 60), seeds("b", 60), seeds("c", 60), strict=True))
    others = max(tried, key=lambda others: sixes(dice_of(with_honest(party, others, guess), deal)))
    assert sixes(dice_of(with_honest(party, others, guess), deal)) >= 5

    hands = [dice_of(with_honest(party, others, seed), deal) for seed in seeds("honest", 1_500)]

    assert all(is_even((dealt[seat][die] for dealt in hands), 6) for seat, die in product(range(3), (0, 4)))
    assert is_even(((dealt[0][0], dealt[1][0]) for dealt in hands), 36)
    assert is_even((die for dealt in hands for dice in dealt for die in dice), 6)


@pytest.mark.parametrize("party", range(4), ids=PARTIES)
def test_the_drawn_opener_is_even_whoever_is_the_honest_one(party: int) -> None:
    others = tuple(seeds("others", 3))

    def opener(seed: bytes) -> int:
        server, *players = (make_chain(secret, "game", 1) for secret in with_honest(party, others, seed))
        transcript = first_transcript("game", server.anchor, tuple(chain.anchor for chain in players))
        links = tuple((seat, chain.link(1)) for seat, chain in enumerate(players))
        return drawn(deal_key(transcript, 1, server.link(1), links), (0, 1, 2))

    assert is_even((opener(seed) for seed in seeds("honest", 3_000)), 3)


@pytest.mark.parametrize("honest", ["the server", "the player who rerolls"])
def test_a_reroll_is_even_if_the_server_or_the_player_who_rerolls_is_honest(honest: str) -> None:
    def reroll(seed: bytes) -> Hand:
        fixed = make_chain(b"f" * 32, "game", 2).link(2)
        server_link, link = (seed, fixed) if honest == "the server" else (fixed, seed)
        return hand(deal_key(b"t" * 32, 2, server_link, ((1, link),)), 1, 4)

    hands = [reroll(seed) for seed in seeds("honest", 3_000)]

    assert all(is_even((dice[die] for dice in hands), 6) for die in range(4))
    assert is_even(((dice[0], dice[1]) for dice in hands), 36)


def dealt_table(chains: Chains) -> Given:
    """A table of three players after a real roll, for any chain of the server."""
    created, *joined = gathered(BOOK, 3)
    assert isinstance(created, GameCreated)
    committed = replace(created, fairness=replace(created.fairness, server_anchor=chains.server.anchor))
    table = given(committed, joined).after(StartGame(opener=0))
    for seat in range(3):
        table = table.after(chains.roll(table.state, seat))
    return table


def rerolled(table: Given, chains: Chains, show: Callable[[Hand], Hand]) -> Hand:
    """The dice that the last bidder rolls after showing some."""
    state = table.state
    assert isinstance(state, Bidding)
    seat = state.bids[-1].seat
    hidden = state.cups[seat].hidden
    assert hidden is not None
    asked = replace(chains.reroll(state, seat, ""), shown=show(hidden))
    made = table.when(ShowAndReroll(seat=seat, reroll=asked)).one(DiceRerolled)
    assert made.hand is not None
    return tuple(made.hand)


def test_what_a_reroll_brings_can_not_be_changed_by_bids_or_by_the_dice_shown() -> None:
    """A player in league with the server knows all links, but has nothing left to choose by which they would change."""
    chains = chains_of(BOOK, 3)
    table = dealt_table(chains)
    ways_to_bid: list[list[AnyCommand]] = [
        [bids(0, "1x2")],
        [bids(0, "7x6")],
        [bids(0, "1x2"), bids(1, "2x3"), bids(2, "3x*"), bids(0, "9x5")],
    ]
    ways_to_show: list[Callable[[Hand], Hand]] = [
        *(lambda hidden, die=die: (hidden[die],) for die in range(5)),
        *(lambda hidden, start=start: hidden[start : start + 3] for start in range(3)),
        lambda hidden: hidden[:4],
    ]

    brought = {rerolled(table.after(*bid), chains, show) for bid in ways_to_bid for show in ways_to_show}

    assert {len(dice) for dice in brought} == {1, 2, 4}
    longest = max(brought, key=len)
    assert all(dice == longest[: len(dice)] for dice in brought)


def test_the_next_deal_can_not_be_changed_by_bids_or_challenges() -> None:
    """Only links enter a deal, so rounds that were bid differently, but cost the same dice, are followed by the same."""
    chains = chains_of("single-hand", 2)

    def second_deal(*texts: str) -> tuple[Hand | None, ...]:
        table = given(started("single-hand", 2, StartGame(opener=0)))
        for seat in (0, 1):
            table = table.after(chains.roll(table.state, seat))
        table = table.after(*(bids(index % 2, text) for index, text in enumerate(texts)))
        table = table.after(challenges(1))
        for seat in (0, 1):
            table = table.after(chains.roll(table.state, seat))
        assert isinstance(table.state, Bidding)
        assert table.state.standing.dice_counts == (4, 5)
        return table.state.deals[0].hands

    assert second_deal("20x2") == second_deal("30x6") == second_deal("1x2", "1x3", "40x4")


def public(events: tuple[AnyEvent, ...]) -> list[AnyEvent]:
    """What everybody sees, but for the server's anchor, from which nobody can get back to its links."""
    seen = [seen_by(event, None) for event in events]
    created = seen[0]
    assert isinstance(created, GameCreated)
    return [replace(created, fairness=replace(created.fairness, server_anchor=bytes(32))), *seen[1:]]


def with_server(seed: bytes) -> Chains:
    """The same players, but another server."""
    chains = chains_of(BOOK, 3)
    chains.server = make_chain(seed, GAME_ID, chains.server.length)
    return chains


def hands_under_the_cups(table: Given) -> tuple[Hand, ...]:
    assert isinstance(table.state, Bidding)
    return tuple(whole(cup.hidden) for cup in table.state.cups)


def test_before_the_reveal_everything_public_and_all_players_seeds_leave_every_die_open() -> None:
    """Servers that differ in nothing but the seed make all dice there are out of the same public events."""
    tables = [dealt_table(with_server(seed)).after(bids(0, "2x3"), bids(1, "3x3")) for seed in seeds("server", 300)]

    seen = {msgspec.msgpack.encode(public(table.events)) for table in tables}
    hands = [hands_under_the_cups(table) for table in tables]

    assert len(seen) == 1
    assert len(set(hands)) == 300
    assert all(is_even((dealt[seat][die] for dealt in hands), 6) for seat, die in product(range(3), range(5)))


def test_before_the_reveal_no_public_event_holds_a_link_of_the_server_or_a_hidden_die() -> None:
    chains = chains_of(BOOK, 3)
    table = dealt_table(chains).after(bids(0, "2x3"))
    shown = str(hands_under_the_cups(table)[0][0])
    table = table.after(ShowAndReroll(seat=0, reroll=chains.reroll(table.state, 0, shown)))

    seen = [seen_by(event, None) for event in table.events]

    assert all(getattr(event, name) in (None, (None, None, None)) for event in seen for name in event.SECRETS)
    assert not any(chains.server.link(number) in msgspec.msgpack.encode(seen) for number in range(1, 10))


def test_who_knows_all_but_the_servers_link_can_not_tell_what_a_reroll_will_bring() -> None:
    table = dealt_table(chains_of(BOOK, 3))
    transcript = table.state.standing.transcript  # type: ignore[union-attr]  # the game is running
    link = chains_of(BOOK, 3).players[0].link(2)

    brought = [hand(deal_key(transcript, 2, seed, ((0, link),)), 0, 4) for seed in seeds("server", 1_500)]

    assert all(is_even((dice[die] for dice in brought), 6) for die in range(4))
