"""A table in memory: it holds the chains of its players, carries out commands and keeps the events."""

from msgspec.structs import replace

from domain.commands import AnyCommand, CreateGame, JoinGame, PlaceBid, Reroll, Roll
from domain.deciding import decide
from domain.deciding.checks import Calling
from domain.deciding.gathering import rules_of_table
from domain.events import AnyEvent, Hand
from domain.evolve import fold
from domain.fairness.chain import Chain, make_chain
from domain.options import Options
from domain.state import NOTHING, State
from domain.values import Bid
from domain.views import GameView, Viewer, view


class MemoryTable:
    """One game without a store. The caller gives it the seeds and the times."""

    def __init__(self, game_id: str, rulebook: str, options: Options, seeds: tuple[bytes, ...]) -> None:
        """Set up a table; the first seed is for the server, the others are for the seats."""
        rules, seats = rules_of_table(rulebook, options, len(seeds) - 1)
        length = rules.links_max(seats)
        self.game_id, self.seeds = game_id, seeds
        self.state: State = NOTHING
        self.commands: list[AnyCommand] = []
        self.events: list[AnyEvent] = []
        self.milliseconds = 0
        self.began_at: int | None = None
        """When the game began, once a calendar has given it a time; its own events count from 0."""
        self._server = make_chain(seeds[0], game_id, length)
        self._chains: tuple[Chain, ...] = tuple(make_chain(seed, game_id, length) for seed in seeds[1:])
        self.submit(
            CreateGame(
                at=self.milliseconds,
                game_id=game_id,
                rulebook=rulebook,
                server_anchor=self._server.anchor,
                options=options,
                seats=seats,
            )
        )

    @property
    def dated_events(self) -> list[AnyEvent]:
        """The events with the times that the calendar gave them."""
        began_at = self.began_at
        return [replace(event, at=event.at + began_at) for event in self.events] if began_at else self.events

    def submit(self, command: AnyCommand) -> tuple[AnyEvent, ...]:
        """Carry out a command; a refusal changes nothing."""
        events = decide(command, self.state)
        self.state = fold(events, self.state)
        self.commands.append(command)
        self.events += events
        return events

    def seat_bot(self, seat: int, player_id: str, name: str) -> None:
        """Give the next seat to a bot, and keep its chain."""
        anchor = self._chains[seat].anchor
        self.submit(
            JoinGame(
                at=self.milliseconds,
                player_id=player_id,
                name=name,
                anchor=anchor,
                kind="bot",
                chain_held_by="server",
            )
        )

    def roll(self, seat: int) -> tuple[AnyEvent, ...]:
        """Roll for a seat."""
        link, server_link = self._next_links(seat)
        return self.submit(Roll(at=self.milliseconds, seat=seat, link=link, server_link=server_link))

    def bid(self, seat: int, bid: Bid, shown: Hand = ()) -> tuple[AnyEvent, ...]:
        """Bid for a seat; if `shown` has dice, show them and reroll the others in the same step."""
        reroll = self._reroll(seat, shown) if shown else None
        return self.submit(
            PlaceBid(at=self.milliseconds, seat=seat, quantity=bid.quantity, face=bid.face, reroll=reroll)
        )

    def view(self, viewer: Viewer) -> GameView:
        """The game as a viewer sees it."""
        seen = view(self.state, viewer)
        assert seen is not None, "the game was created in __init__"
        return seen

    def _reroll(self, seat: int, shown: Hand) -> Reroll:
        link, server_link = self._next_links(seat)
        return Reroll(shown=shown, link=link, server_link=server_link)

    def _next_links(self, seat: int) -> tuple[bytes, bytes]:
        assert isinstance(self.state, Calling), "the game waits for links"
        number = self.state.link_number
        return self._chains[seat].link(number), self._server.link(number)
