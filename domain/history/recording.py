"""Writing down the record of a game from its events."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.events import (
    Ante,
    AntesPaid,
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    Hand,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.history.record import (
    Action,
    BidAction,
    ChallengeAction,
    ForfeitAction,
    ForfeitRecord,
    GameRecord,
    OpeningRollRecord,
    Result,
    RollAction,
    RoundRecord,
    SeatRecord,
    ShowAndRerollAction,
    TimeoutAction,
)
from domain.refusals import Malformed
from domain.state import Loss


def record_of(events: Iterable[AnyEvent]) -> GameRecord:
    """The record of a game, from its events."""
    writer = _Writer()
    try:
        for event in events:
            writer.take(event)
        return writer.record()
    except (AssertionError, StopIteration, RuntimeError, IndexError) as error:
        # A log from outside may be anything: here an event is missing or comes twice.
        raise Malformed(what="log of a game", problem=f"its events do not follow each other ({error})") from None


class _Writer:
    """Collects a record from events, in their order."""

    def __init__(self) -> None:
        self.created: GameCreated | None = None
        self.ended: GameEnded | None = None
        self.abandoned: str | None = None
        self.started_at: int | None = None
        self.ended_at: int | None = None
        self.version = 0
        """The version of the event that was taken last."""
        self.players: list[PlayerJoined] = []
        self.opening_rolls: list[OpeningRollRecord] = []
        self.rounds: list[RoundRecord] = []
        self.forfeits: list[ForfeitRecord] = []
        self._begin_round(None)

    def _begin_round(self, started: RoundStarted | None) -> None:
        self.started = started
        self.antes: tuple[Ante, ...] = ()
        self.actions: list[Action] = []
        self.lifted: CupsLifted | None = None
        self.resolved: ChallengeResolved | None = None
        self.losses: list[Loss] = []
        self.eliminated: tuple[int, ...] = ()

    def take(self, event: AnyEvent) -> None:
        """Write down what an event adds to the record."""
        self.version = version = self.version + 1
        match event:
            case Rolled(seat=seat, at=at):
                self.actions.append(RollAction(seat, at, version))
            case BidPlaced(seat=seat, quantity=quantity, face=face, at=at):
                self.actions.append(BidAction(seat, quantity, face, at, version))
            case DiceRerolled(seat=seat, shown=shown, rerolled=rerolled, at=at):
                # What the dice became is known once the cups are lifted.
                self.actions.append(ShowAndRerollAction(seat, shown, rerolled, (), at, version))
            case BidChallenged(seat=seat, at=at):
                self.actions.append(ChallengeAction(seat, at, version))
            case TurnTimedOut(seat=seat, at=at):
                self.actions.append(TimeoutAction(seat, at, version))
            case PlayerForfeited():
                self._forfeit(event)
            case RoundStarted():
                self._begin_round(event)
            case AntesPaid(antes=antes):
                self.antes = antes
            case CupsLifted():
                self.lifted = event
            case ChallengeResolved():
                self.resolved = event
            case DiceLost(seat=seat, penalty=penalty, lost=lost):
                self.losses.append(Loss(seat, penalty, lost))
            case PlayersEliminated(seats=seats):
                self.eliminated = seats
            case RoundEnded():
                self.rounds.append(self._round())
            case _:
                self._take_rare(event)

    def _take_rare(self, event: AnyEvent) -> None:
        match event:
            case GameCreated():
                self.created = event
            case PlayerJoined():
                self.players.append(event)
            case PlayerLeft(seat=seat):
                del self.players[seat]
            case RollCalled() if self.started is None:
                self.actions = []
            case OpeningDiceRolled(rolls=rolls):
                dice = {roll.seat: roll.dice for roll in rolls}
                self.opening_rolls += [
                    OpeningRollRecord(made.seat, dice[made.seat], made.at, made.version)
                    for made in self.actions
                    if made.seat in dice
                ]
            case GameStarted(at=at):
                self.started_at = at
            case GameEnded(at=at):
                self.ended, self.ended_at = event, at
            case GameAbandoned(reason=reason, at=at):
                self.abandoned, self.ended_at = reason, at
            case _:
                pass  # The choice of the opener and the pots show in the rounds and at the end.

    def _forfeit(self, event: PlayerForfeited) -> None:
        number = 0 if self.started is None else self.started.number
        self.forfeits.append(ForfeitRecord(event.seat, number, event.reason, event.at, self.version))
        self.actions.append(ForfeitAction(event.seat, event.at, self.version))

    def _round(self) -> RoundRecord:
        assert self.started is not None, "a round ends that did not start"
        empty: tuple[Hand, ...] = ((),) * len(self.started.dice_counts)
        return RoundRecord(
            number=self.started.number,
            opener=self.started.opener,
            palafico=self.started.palafico,
            dice_counts=self.started.dice_counts,
            antes=self.antes,
            actions=self._actions_revealed(),
            dealt=empty if self.lifted is None else self.lifted.deals[0].hands,
            dice=empty if self.lifted is None else self.lifted.dice,
            result=self._result(),
        )

    def _actions_revealed(self) -> tuple[Action, ...]:
        rerolls = iter(() if self.lifted is None else self.lifted.deals[1:])
        return tuple(
            replace(action, hand=next(rerolls).hands[0]) if isinstance(action, ShowAndRerollAction) else action
            for action in self.actions
        )

    def _result(self) -> Result | None:
        if self.resolved is None:
            return None
        resolved = self.resolved
        return Result(
            bid=resolved.bid,
            challenger=resolved.challenger,
            actual=resolved.actual,
            penalties=tuple(self.losses),
            winner=resolved.winner,
            eliminated=self.eliminated,
        )

    def record(self) -> GameRecord:
        """What was collected so far."""
        assert self.created is not None, "it does not begin with the creation of the game"
        return GameRecord(
            game_id=self.created.game_id,
            rulebook=self.created.rulebook,
            rulebook_version=self.created.rulebook_version,
            options=self.created.options,
            seats=tuple(
                SeatRecord(seat, player.player_id, player.name, player.kind, player.chain_held_by)
                for seat, player in enumerate(self.players)
            ),
            opening_rolls=tuple(self.opening_rolls),
            rounds=tuple(self.rounds),
            forfeits=tuple(self.forfeits),
            winner=None if self.ended is None else self.ended.winner,
            places=() if self.ended is None else self.ended.places,
            chips=None if self.ended is None else self.ended.chips,
            abandoned=self.abandoned,
            created_at=self.created.at,
            started_at=self.started_at,
            ended_at=self.ended_at,
        )
