"""Folding events into the state. No rule lives here: an event already says what the rules made of a command.

An event that does not fit the phase can't come from `decide`, so it is our bug and an assertion, never a refusal.
"""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar, get_args

from msgspec.structs import replace

from domain.events import (
    AntesPaid,
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    PotWon,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.fairness.derivation import first_transcript, next_transcript
from domain.state import (
    NOTHING,
    Bidding,
    ChoosingOpener,
    Cup,
    Deal,
    Ended,
    Gathering,
    Head,
    Loss,
    Nothing,
    Player,
    Reveal,
    Rolling,
    Round,
    Running,
    Settlement,
    Settling,
    Standing,
    State,
    Table,
)
from domain.values import PlacedBid

Item = TypeVar("Item")


def fold(events: Iterable[AnyEvent], state: State = NOTHING) -> State:
    """The state after all of the events."""
    return reduce(evolve, events, state)


def evolve(state: State, event: AnyEvent) -> State:
    """The state after one more event."""
    return CHANGES[type(event)](state, event)


def _unchanged(state: State, _: AnyEvent) -> State:
    return state


def _game_created(state: State, event: GameCreated) -> Gathering:
    assert isinstance(state, Nothing)
    table = Table(event.game_id, event.rulebook, event.rulebook_version, event.options, event.seats, event.fairness)
    return Gathering(table, event.at)


def _player_joined(state: State, event: PlayerJoined) -> Gathering:
    assert isinstance(state, Gathering)
    player = Player(event.player_id, event.name, event.kind, event.anchor, event.chain_held_by, event.signing_key)
    return Gathering(replace(state.table, players=(*state.table.players, player)), event.at)


def _player_left(state: State, event: PlayerLeft) -> Gathering:
    assert isinstance(state, Gathering)
    players = state.table.players
    return Gathering(replace(state.table, players=players[: event.seat] + players[event.seat + 1 :]), event.at)


def _game_started(state: State, event: GameStarted) -> ChoosingOpener:
    assert isinstance(state, Gathering)
    table = state.table
    anchors = tuple(player.anchor for player in table.players)
    standing = Standing(
        dice_counts=(event.dice_each,) * len(anchors),
        heads=tuple(Head(anchor) for anchor in anchors),
        server_head=Head(table.fairness.server_anchor),
        transcript=first_transcript(table.game_id, table.fairness.server_anchor, anchors),
        chips=None if event.chips_each is None else (event.chips_each,) * len(anchors),
    )
    return ChoosingOpener(table, standing, (), 0, (), event.at)


def _roll_called(state: State, event: RollCalled) -> ChoosingOpener | Rolling:
    assert isinstance(state, ChoosingOpener | Rolling)
    standing = replace(state.standing, next_call=event.call + event.calls)
    if isinstance(state, Rolling):
        return replace(state, standing=standing, call=event.call)
    return ChoosingOpener(state.table, standing, event.seats, event.call, (), event.at)


def _rolled(state: State, event: Rolled) -> ChoosingOpener | Rolling:
    assert isinstance(state, ChoosingOpener | Rolling)
    standing = _link_revealed(state.standing, event.seat, Head(event.link, state.call))
    return replace(state, standing=standing, links=tuple(sorted((*state.links, (event.seat, event.link)))))


def _opening_dice_rolled(state: State, event: OpeningDiceRolled) -> ChoosingOpener:
    assert isinstance(state, ChoosingOpener)
    standing = replace(
        state.standing,
        server_head=Head(event.server_link, state.call),
        transcript=next_transcript(state.standing.transcript, state.call, state.links),
    )
    return replace(state, standing=standing)


def _round_started(state: State, event: RoundStarted) -> Rolling:
    assert isinstance(state, Settling | ChoosingOpener)
    standing = replace(state.standing, dice_counts=event.dice_counts)
    return Rolling(state.table, standing, Round(event.number, event.opener, event.palafico), 0, (), event.at)


def _antes_paid(state: State, event: AntesPaid) -> State:
    assert isinstance(state, Rolling)
    standing = state.standing
    assert standing.chips is not None
    paid = {ante.seat: ante.round_pot + ante.game_pot for ante in event.antes}
    chips = tuple(stack - paid.get(seat, 0) for seat, stack in enumerate(standing.chips))
    round_pot = standing.round_pot + sum(ante.round_pot for ante in event.antes)
    game_pot = standing.game_pot + sum(ante.game_pot for ante in event.antes)
    return replace(state, standing=replace(standing, chips=chips, round_pot=round_pot, game_pot=game_pot))


def _dice_dealt(state: State, event: DiceDealt) -> Bidding:
    assert isinstance(state, Rolling)
    counts = state.standing.dice_counts
    hands = event.hands if event.hands is not None else (None,) * len(counts)
    return Bidding(
        table=state.table,
        standing=replace(
            state.standing, transcript=next_transcript(state.standing.transcript, state.call, state.links)
        ),
        round=state.round,
        call=state.call,
        cups=tuple(Cup(count, hand) for count, hand in zip(counts, hands, strict=True)),
        deals=(Deal(event.server_link, hands),),
        bids=(),
        rerolled=False,
        since=event.at,
    )


def _bid_placed(state: State, event: BidPlaced) -> Bidding:
    assert isinstance(state, Bidding)
    bid = PlacedBid(event.seat, event.quantity, event.face)
    return replace(state, bids=(*state.bids, bid), rerolled=False, since=event.at)


def _dice_rerolled(state: State, event: DiceRerolled) -> Bidding:
    assert isinstance(state, Bidding)
    seat = event.seat
    number = state.link_number
    standing = _link_revealed(state.standing, seat, Head(event.link, number))
    transcript = next_transcript(standing.transcript, number, ((seat, event.link),))
    cup = Cup(event.rerolled, event.hand, state.cups[seat].shown + event.shown)
    return replace(
        state,
        standing=replace(standing, transcript=transcript),
        cups=_with(state.cups, seat, cup),
        deals=(*state.deals, Deal(event.server_link, (event.hand,), seat)),
        rerolled=True,
    )


def _cups_lifted(state: State, event: CupsLifted) -> Settling:
    assert isinstance(state, Bidding)
    head = Head(event.deals[-1].server_link, state.link_number - 1)
    reveal = Reveal(state.round.number, event.dice)
    return Settling(state.table, replace(state.standing, server_head=head, last_round=reveal), state.round)


def _challenge_resolved(state: State, event: ChallengeResolved) -> Settling:
    assert isinstance(state, Settling)
    return _settled(state, Settlement(event.bid, event.challenger, event.actual, event.winner))


def _dice_lost(state: State, event: DiceLost) -> Settling:
    assert isinstance(state, Settling)
    assert state.standing.last_round is not None
    settlement = state.standing.last_round.settlement
    assert settlement is not None
    loss = Loss(event.seat, event.penalty, event.lost)
    settled = _settled(state, replace(settlement, losses=(*settlement.losses, loss)))
    return replace(settled, standing=_dice_taken(settled.standing, event.seat, event.lost))


def _players_eliminated(state: State, event: PlayersEliminated) -> State:
    assert isinstance(state, Running)
    return replace(state, standing=replace(state.standing, out=(*state.standing.out, event.seats)))


def _pot_won(state: State, event: PotWon) -> State:
    assert isinstance(state, Running)
    standing = state.standing
    assert standing.chips is not None
    chips = _with(standing.chips, event.seat, standing.chips[event.seat] + event.chips)
    if event.pot == "round":
        return replace(state, standing=replace(standing, chips=chips, round_pot=standing.round_pot - event.chips))
    return replace(state, standing=replace(standing, chips=chips, game_pot=standing.game_pot - event.chips))


def _player_forfeited(state: State, event: PlayerForfeited) -> State:
    assert isinstance(state, Running)
    return replace(state, standing=_dice_taken(state.standing, event.seat, event.lost))


def _round_ended(state: State, _: RoundEnded) -> Settling:
    assert isinstance(state, Rolling | Bidding | Settling)
    return Settling(state.table, state.standing, state.round)


def _game_ended(state: State, event: GameEnded) -> Ended:
    assert isinstance(state, Running)
    return Ended(state.table, state.standing, event.at, event.winner, event.places)


def _game_abandoned(state: State, event: GameAbandoned) -> Ended:
    assert not isinstance(state, Nothing | Ended)
    standing = None if isinstance(state, Gathering) else state.standing
    return Ended(state.table, standing, event.at, abandoned=event.reason)


def _link_revealed(standing: Standing, seat: int, head: Head) -> Standing:
    return replace(standing, heads=_with(standing.heads, seat, head))


def _dice_taken(standing: Standing, seat: int, lost: int) -> Standing:
    return replace(standing, dice_counts=_with(standing.dice_counts, seat, standing.dice_counts[seat] - lost))


def _settled(state: Settling, settlement: Settlement) -> Settling:
    assert state.standing.last_round is not None
    reveal = replace(state.standing.last_round, settlement=settlement)
    return replace(state, standing=replace(state.standing, last_round=reveal))


def _with(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    return (*items[:index], item, *items[index + 1 :])


# A table finds its last entry as quickly as its first, which a `match` does not: every replay folds whole games.
CHANGES: dict[type[AnyEvent], Callable[[State, Any], State]] = {
    Rolled: _rolled,
    BidPlaced: _bid_placed,
    DiceDealt: _dice_dealt,
    RoundStarted: _round_started,
    RollCalled: _roll_called,
    DiceLost: _dice_lost,
    CupsLifted: _cups_lifted,
    ChallengeResolved: _challenge_resolved,
    DiceRerolled: _dice_rerolled,
    PlayersEliminated: _players_eliminated,
    AntesPaid: _antes_paid,
    PotWon: _pot_won,
    RoundEnded: _round_ended,
    PlayerForfeited: _player_forfeited,
    GameCreated: _game_created,
    PlayerJoined: _player_joined,
    PlayerLeft: _player_left,
    GameStarted: _game_started,
    OpeningDiceRolled: _opening_dice_rolled,
    GameEnded: _game_ended,
    GameAbandoned: _game_abandoned,
    # The next events say what follows from these.
    BidChallenged: _unchanged,
    TurnTimedOut: _unchanged,
    OpenerChosen: _unchanged,
}
"""What each kind of event does to the state."""
assert set(CHANGES) == set(get_args(AnyEvent)), "every kind of event has its entry in the table"
