"""Only the link that was called for is accepted in a game, and a chain is long enough for any game."""

from functools import cache

import pytest
from msgspec.structs import replace

from domain.commands import AnyCommand, Forfeit, PlaceBid, Reroll, ShowAndReroll, StartGame
from domain.deciding.gathering import rules_of_table
from domain.events import (
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    GameCreated,
    GameEnded,
    OpeningDiceRolled,
    RollCalled,
    RoundStarted,
)
from domain.fairness.chain import Chain, hashed, make_chain
from domain.options import Options
from domain.refusals import ChainExhausted, LinkInvalid, ServerLinkInvalid
from domain.rulebooks import BOOKS, Rulebook
from domain.rulebooks.raising import track_place
from domain.rulebooks.rulebook import OPENING_LINKS
from domain.state import Bidding, ChoosingOpener, Ended, Rolling
from tests.domain.fairness.play import Play
from tests.made_tables import GAME_ID, bids, chains_of, challenges, dealt, started
from tests.specification import Given, given

BOOK = "bidding-track"
CHAINS = chains_of(BOOK, 2)
ANN, BOB, SERVER = CHAINS.players[0], CHAINS.players[1], CHAINS.server

SECOND_CALL = 10
"""With five dice each, a round sets aside one number for the roll and four for the rerolls of each of the two."""


def false_links(chain: Chain, other: Chain, number: int) -> dict[str, bytes]:
    """What may be sent instead of link `number`, once link 1 has been revealed."""
    return {
        "of another chain": make_chain(b"x" * 32, GAME_ID, chain.length).link(number),
        "of another party": other.link(number),
        "of the same seed in another game": make_chain(chain.link(chain.length), "another", chain.length).link(number),
        "used before": chain.link(1),
        "the anchor": chain.anchor,
        "one too high": chain.link(number + 1),
        "one too low": chain.link(number - 1),
        "what the anchor hashes to": hashed(chain.anchor, GAME_ID),
        "too short": chain.link(number)[:-1],
        "too long": chain.link(number) + b"\0",
        "empty": b"",
    }


ROLLS, SERVER_ROLLS = false_links(ANN, BOB, SECOND_CALL), false_links(SERVER, ANN, SECOND_CALL)
REROLLS, SERVER_REROLLS = false_links(ANN, BOB, 2), false_links(SERVER, ANN, 2)


def second_round() -> Given:
    """A game in its second round, before anybody has rolled."""
    game = given(started(BOOK, 2, StartGame(opener=0)))
    for seat in (0, 1):
        game = game.after(CHAINS.roll(game.state, seat))
    return game.after(bids(0, "3x2"), challenges(1))


@pytest.mark.parametrize("link", ROLLS.values(), ids=ROLLS)
def test_a_roll_with_any_but_the_link_called_for_is_refused_and_changes_nothing(link: bytes) -> None:
    game = second_round()
    right = CHAINS.roll(game.state, 0)

    game.when(replace(right, link=link)).refuses(LinkInvalid, seat=0, number=SECOND_CALL)

    assert game.when(right).refusal is None


@pytest.mark.parametrize("link", SERVER_ROLLS.values(), ids=SERVER_ROLLS)
def test_dice_are_not_dealt_with_any_but_the_servers_link_of_the_same_number(link: bytes) -> None:
    game = second_round()
    half = game.after(CHAINS.roll(game.state, 0))
    right = CHAINS.roll(half.state, 1)

    half.when(replace(right, server_link=link)).refuses(ServerLinkInvalid, number=SECOND_CALL)

    half.when(right).one(DiceDealt)


@pytest.mark.parametrize("link", REROLLS.values(), ids=REROLLS)
def test_a_reroll_with_any_but_the_link_after_the_roll_is_refused_and_so_is_its_bid(link: bytes) -> None:
    table = dealt(BOOK, "2 3 4 5 6", "2 3 4 5 6")
    right = CHAINS.reroll(table.state, 0, "2 3")
    wrong = replace(right, link=link)

    table.when(bid_with(wrong)).refuses(LinkInvalid, seat=0, number=2)
    table.after(bids(0, "1x2")).when(ShowAndReroll(seat=0, reroll=wrong)).refuses(LinkInvalid, seat=0, number=2)

    table.when(bid_with(right)).one(DiceRerolled)


@pytest.mark.parametrize("link", SERVER_REROLLS.values(), ids=SERVER_REROLLS)
def test_dice_are_not_rerolled_with_any_but_the_servers_link_of_the_same_number(link: bytes) -> None:
    """The link of the deal counts as used although it is still secret."""
    table = dealt(BOOK, "2 3 4 5 6", "2 3 4 5 6")
    right = CHAINS.reroll(table.state, 0, "2 3")

    table.when(bid_with(replace(right, server_link=link))).refuses(ServerLinkInvalid, number=2)

    table.when(bid_with(right)).one(DiceRerolled)


def test_each_reroll_of_a_round_needs_links_one_higher_whoever_makes_it() -> None:
    table = dealt(BOOK, "2 3 4 5 6", "2 3 4 5 6")
    table = table.after(bid_with(CHAINS.reroll(table.state, 0, "2 3")), bids(1, "2x2"))
    right = CHAINS.reroll(table.state, 1, "2 3")

    own_next = ShowAndReroll(seat=1, reroll=replace(right, link=BOB.link(2)))
    table.when(own_next).refuses(LinkInvalid, seat=1, number=3)

    assert right.link == BOB.link(3)
    assert right.server_link == SERVER.link(3)
    table.when(ShowAndReroll(seat=1, reroll=right)).one(DiceRerolled)


def test_an_opening_roll_needs_the_links_called_for_too() -> None:
    game = given(started(BOOK, 2))
    half = game.after(CHAINS.roll(game.state, 0))
    right = CHAINS.roll(half.state, 1)

    game.when(replace(CHAINS.roll(game.state, 0), link=ANN.link(2))).refuses(LinkInvalid, seat=0, number=1)
    half.when(replace(right, server_link=SERVER.link(2))).refuses(ServerLinkInvalid, number=1)
    half.when(right).one(OpeningDiceRolled)


def test_a_link_recorded_in_a_round_cut_short_is_void_and_so_is_the_servers() -> None:
    chains = chains_of(BOOK, 3)
    game = given(started(BOOK, 3, StartGame(opener=0)))
    spent = chains.roll(game.state, 0)
    cut = game.after(spent, Forfeit(seat=2))

    assert isinstance(cut.state, Rolling)
    assert cut.state.call == 14
    cut.when(spent).refuses(LinkInvalid, seat=0, number=14)
    half = cut.after(chains.roll(cut.state, 0))
    right = chains.roll(half.state, 1)
    half.when(replace(right, server_link=spent.server_link)).refuses(ServerLinkInvalid, number=14)
    half.when(right).one(DiceDealt)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_each_call_begins_where_the_numbers_set_aside_before_it_end(book: Rulebook) -> None:
    play = Play("calls", book.id, 3, dice_each=4).play(quits=0.02)

    calls = [event for event in play.events if isinstance(event, RollCalled)]
    rounds = [event for event in play.events if isinstance(event, RoundStarted)]
    of_rounds = calls[len(calls) - len(rounds) :]

    assert [event.call for event in calls] == [1 + sum(event.calls for event in calls[:at]) for at in range(len(calls))]
    for called, begun in zip(of_rounds, rounds, strict=True):
        spare = sum(count - 1 for count in begun.dice_counts if count)
        assert called.calls == (1 + spare if book.show_and_reroll else 1)
        assert called.seats == tuple(seat for seat, count in enumerate(begun.dice_counts) if count)


def bid_with(reroll: Reroll) -> PlaceBid:
    return PlaceBid(seat=0, quantity=1, face=2, reroll=reroll)


def with_chains_of(length: int, game: Given) -> Given:
    """The same game, but its chains end earlier."""
    created = game.events[0]
    assert isinstance(created, GameCreated)
    shorter = replace(created, fairness=replace(created.fairness, chain_length=length))
    return given(shorter, game.events[1:])


def test_a_roll_for_which_the_chains_are_too_short_is_refused() -> None:
    game = with_chains_of(9, second_round())

    game.when(CHAINS.roll(game.state, 0)).refuses(ChainExhausted, number=SECOND_CALL, length=9)


def test_a_reroll_for_which_the_chains_are_too_short_is_refused() -> None:
    table = with_chains_of(2, dealt(BOOK, "2 3 4 5 6", "2 3 4 5 6"))
    table = table.after(bid_with(CHAINS.reroll(table.state, 0, "2 3")), bids(1, "2x2"))

    reroll = ShowAndReroll(seat=1, reroll=CHAINS.reroll(table.state, 1, "2 3"))
    table.when(reroll).refuses(ChainExhausted, number=3, length=2)


@cache
def links_at_most(dice_counts: tuple[int, ...], *, rerolls: bool) -> int:
    """The most numbers that rounds from here on can set aside, if each costs a single die.

    A round has one deal of all; each reroll leaves its seat with at least one hidden die less, and the last can't be rerolled.
    """
    in_play = [count for count in dice_counts if count]
    if len(in_play) == 1:
        return 0
    deals = 1 + (sum(in_play) - len(in_play) if rerolls else 0)
    fewer = {tuple(sorted((*in_play[:seat], in_play[seat] - 1, *in_play[seat + 1 :]))) for seat in range(len(in_play))}
    return deals + max(links_at_most(counts, rerolls=rerolls) for counts in fewer)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_a_chain_has_as_many_links_as_the_longest_possible_game_needs(book: Rulebook) -> None:
    for players, dice_each in ((2, 1), (2, 2), (2, 5), (2, 10), (3, 4), (4, 3)):
        rules, _ = rules_of_table(book.id, Options(dice_each=dice_each), players)
        needed = links_at_most((dice_each,) * players, rerolls=book.show_and_reroll)

        spare = rules.links_max(players) - OPENING_LINKS - needed
        assert spare >= 0
        assert spare == 0 or (book.show_and_reroll and players > 2)


def longest(play: Play) -> Play:
    """A game drawn out: every bid comes with a reroll while one is possible, and challenges cost as little as can be."""
    play.start()
    while not isinstance(play.state, Ended):
        state = play.state
        if isinstance(state, Bidding):
            play.do(longest_move(play, state))
        elif isinstance(state, ChoosingOpener | Rolling):
            play.do(play.chains.roll(state, state.waiting[0]))
    return play


def longest_move(play: Play, state: Bidding) -> AnyCommand:
    can_reroll = state.table.rules.book.show_and_reroll and any(cup.hidden_count > 1 for cup in state.cups)
    if state.bids and not can_reroll and surplus(state) <= 1:
        return challenges(state.turn)
    bid = min(state.round_rules.lowest_bids(state.standing_bid), key=track_place)
    reroll = play.reroll(state, state.turn, count=1)
    return PlaceBid(seat=state.turn, quantity=bid.quantity, face=bid.face, reroll=reroll)


def surplus(state: Bidding) -> int:
    """How many more dice there are than bid."""
    bid = state.bids[-1]
    dice = [die for cup in state.cups for die in cup.shown + (cup.hidden or ())]
    return sum(dice.count(face) for face in state.round_rules.counting_faces(bid.face)) - bid.quantity


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
@pytest.mark.parametrize("dice_each", [1, 5, 10])
@pytest.mark.parametrize("few", [True, False], ids=["two players", "a full table"])
def test_no_game_that_is_drawn_out_uses_up_a_chain(book: Rulebook, dice_each: int, few: bool) -> None:  # noqa: FBT001
    play = longest(Play("longest", book.id, 2 if few else book.players_max, dice_each=dice_each))

    last = max(event.call + event.calls - 1 for event in play.events if isinstance(event, RollCalled))
    assert isinstance(play.events[-1], GameEnded)
    assert last <= play.chains.server.length - OPENING_LINKS + opening_rolls(play)


def opening_rolls(play: Play) -> int:
    return sum(isinstance(event, OpeningDiceRolled) for event in play.events)


def test_a_round_of_rerolls_can_use_every_number_set_aside_and_no_more() -> None:
    play = longest(Play("longest", BOOK, 2, dice_each=5))

    called = next(event for event in play.events if isinstance(event, RollCalled) and event.calls > 1)
    lifted = next(event for event in play.events if isinstance(event, CupsLifted))
    assert len(lifted.deals) == called.calls == 9
