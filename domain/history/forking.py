"""What-if games: a past game goes on from one of its steps as another game, with other players and other chains.

The past is copied event by event. The dice stay what they were; ids, players, times and everything that follows from
chains become those of the new game, so that its next roll finds the links it asks for. Dice that were copied do not
follow from the links beside them, which is why such a game proves nothing about its past.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from domain.commands import Kind
from domain.deciding.checks import Calling
from domain.events import (
    AnyEvent,
    BidPlaced,
    CupsLifted,
    DiceDealt,
    DiceRerolled,
    GameCreated,
    OpeningDiceRolled,
    PlayerJoined,
    PlayerLeft,
    RollCalled,
    Rolled,
)
from domain.evolve import evolve
from domain.fairness.chain import Chain
from domain.state import NOTHING, State
from domain.values import Value

_LAST_OF_A_COMMAND = RollCalled | Rolled | DiceDealt | BidPlaced | DiceRerolled
"""A command in a running game ends with one of these. After any other event, more events of the same command follow."""


class Substitute(Value, frozen=True):
    """The player who takes the place of a player of the past game."""

    player_id: str
    name: str
    kind: Kind


def waits(events: Sequence[AnyEvent]) -> Iterator[tuple[int, Calling]]:
    """Every step at which a game waits for players' moves, and how the game stands there."""
    state: State = NOTHING
    for number, event in enumerate(events, 1):
        state = evolve(state, event)
        if isinstance(event, _LAST_OF_A_COMMAND) and isinstance(state, Calling) and state.waiting:
            yield number, state


def seats_of_joined(events: Sequence[AnyEvent]) -> tuple[int | None, ...]:
    """The last seat of each player who joined, in the order of joining; None for a player who left again."""
    joined, sitting = 0, list[int]()
    for event in events:
        match event:
            case PlayerJoined():
                sitting.append(joined)
                joined += 1
            case PlayerLeft(seat=seat):
                del sitting[seat]
            case _:
                pass
    return tuple(sitting.index(number) if number in sitting else None for number in range(joined))


def forked(
    events: Sequence[AnyEvent],
    substitutes: Sequence[Substitute],
    server: Chain,
    chains: Mapping[str, Chain],
    *,
    since: int,
    now: int,
) -> Iterator[AnyEvent]:
    """The events as the past of a new game, which waits for its players from `now` on.

    `events` must end at a step at which the old game waits, and has waited since the time `since`. `substitutes` has one entry for each player who joined, in
    that order. `server` and `chains`, by the substitutes' ids, are the chains of the new game.
    """
    joining, shift = iter(substitutes), now - since
    state: State = NOTHING
    earliest = 0
    for event in events:
        seated = _seated(event, next(joining), chains) if isinstance(event, PlayerJoined) else event
        linked = _linked(seated, state, server, chains)
        # The old game's clock may have been set back; in the copy, times never fall and never pass `now`.
        copied = replace(linked, at=max(earliest, min(event.at + shift, now)))
        yield copied
        earliest, state = copied.at, evolve(state, copied)


def _seated(event: PlayerJoined, substitute: Substitute, chains: Mapping[str, Chain]) -> PlayerJoined:
    return replace(
        event,
        player_id=substitute.player_id,
        name=substitute.name,
        kind=substitute.kind,
        anchor=chains[substitute.player_id].anchor,
        chain_held_by="server",
        signing_key=None,
    )


def _linked(event: AnyEvent, state: State, server: Chain, chains: Mapping[str, Chain]) -> AnyEvent:
    """The event with each link replaced by the link of the same number from the new chains."""
    match event:
        case GameCreated(fairness=fairness):
            return replace(event, game_id=server.game_id, fairness=replace(fairness, server_anchor=server.anchor))
        case Rolled(seat=seat):
            return replace(event, link=_link(state, seat, chains))
        case OpeningDiceRolled() | DiceDealt():
            return replace(event, server_link=server.link(_calling(state).link_number))
        case DiceRerolled(seat=seat):
            server_link = server.link(_calling(state).link_number)
            return replace(event, link=_link(state, seat, chains), server_link=server_link)
        case CupsLifted(deals=deals):
            first = _calling(state).call
            revealed = (replace(deal, server_link=server.link(number)) for number, deal in enumerate(deals, first))
            return replace(event, deals=tuple(revealed))
        case _:
            return event


def _link(state: State, seat: int, chains: Mapping[str, Chain]) -> bytes:
    calling = _calling(state)
    return chains[calling.table.players[seat].player_id].link(calling.link_number)


def _calling(state: State) -> Calling:
    assert isinstance(state, Calling), "the game waits for a player here"
    return state
