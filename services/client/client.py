"""The client of a server, which becomes a player, finds tables, sets them up and joins them."""

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from liarsdice.v1 import game_pb2
from liarsdice.v1 import game_service_pb2 as wire
from liarsdice.v1 import player_service_pb2 as players

from domain.freshness import Freshness
from domain.options import DEFAULT_OPTIONS, Options
from domain.views import Phase
from services.client.answers import Listed, ListedPage, OfferedRulebook, Player, listed_of, player_of, rulebook_of
from services.client.channel import PATIENCE, Channel, Tls, new_request_id
from services.client.clubs import PlayersClubs
from services.client.past_games import PastGames
from services.client.play import Play
from services.client.retry import Patience
from services.client.seat_keeper import SeatKeeper
from services.client.seats import Seats
from services.client.statistics import PlayersNumbers
from services.client.table import Table
from services.wire.translation import enum_names, from_message, to_message

_PHASES = {name: number for number, name in enum_names(game_pb2.Phase.DESCRIPTOR).items()}
_PAGE_SIZE = 50


class Client:
    """One player at one server."""

    def __init__(self, channel: Channel, seats: SeatKeeper | None = None) -> None:
        """Use `connect`."""
        self._channel, self._seats = channel, Seats(channel, seats)

    @classmethod
    def connect(
        cls,
        address: str,
        token: str | None = None,
        tls: Tls | None = None,
        patience: Patience = PATIENCE,
        seats: SeatKeeper | None = None,
    ) -> Self:
        """A client of the server at `host:port`; it connects when it is first used.

        With a keeper of seats the client brings its own chain to every seat that it takes, and rolls by itself.
        """
        return cls(Channel(address, token, tls, patience), seats)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()

    @property
    def address(self) -> str:
        """The address of the server."""
        return self._channel.address

    @property
    def token(self) -> str | None:
        """The token by which the server knows the player; anyone who has it can act as the player."""
        return self._channel.token

    @property
    def past(self) -> PastGames:
        """Past games."""
        return PastGames(self._channel)

    @property
    def statistics(self) -> PlayersNumbers:
        """Numbers about players; they need no token."""
        return PlayersNumbers(self._channel)

    @property
    def clubs(self) -> PlayersClubs:
        """The clubs of the player."""
        return PlayersClubs(self._channel)

    async def register(self, name: str) -> Player:
        """Become a player, and keep the token."""
        # After a lost answer it is made again, and leaves a player behind whom nobody uses. That does no harm.
        answer = await self._channel.ask(self._channel.players.Register, players.RegisterRequest(name=name))
        self._channel.token = answer.token
        self._seats.become(answer.player.player_id)
        return player_of(answer.player)

    async def player(self) -> Player:
        """The player that the token stands for."""
        answer = await self._channel.ask(self._channel.players.GetPlayer, players.GetPlayerRequest())
        return player_of(answer.player)

    async def rotate_token(self) -> str:
        """Exchange the token for a new one."""
        # Only one try: if the server has carried it out, the old token is worth nothing.
        answer = await self._channel.ask_once(self._channel.players.RotateToken, players.RotateTokenRequest())
        self._channel.token = answer.token
        return answer.token

    async def revoke_token(self, *, everything: bool = False) -> None:
        """Make the token, or all tokens of the player, invalid, and forget it."""
        request = players.RevokeTokenRequest(all=everything)
        await self._channel.ask_once(self._channel.players.RevokeToken, request)
        self._channel.token = None

    async def rulebooks(self) -> tuple[OfferedRulebook, ...]:
        """The rulebooks that the server plays."""
        answer = await self._channel.ask(self._channel.games.ListRulebooks, wire.ListRulebooksRequest())
        return tuple(rulebook_of(book) for book in answer.rulebooks)

    async def games(
        self, *, joinable: bool = False, mine: bool = False, rulebook: str = "", phases: tuple[Phase, ...] = ()
    ) -> AsyncIterator[Listed]:
        """The tables to join, to watch or to come back to, the newest first; further pages are asked for as needed."""
        async for page in self.pages(joinable=joinable, mine=mine, rulebook=rulebook, phases=phases):
            for listed in page.games:
                yield listed

    async def pages(
        self, *, joinable: bool = False, mine: bool = False, rulebook: str = "", phases: tuple[Phase, ...] = ()
    ) -> AsyncIterator[ListedPage]:
        """The same page by page, each with whether tables may be missing."""
        request = wire.ListGamesRequest(page_size=_PAGE_SIZE, rulebook=rulebook, mine=mine, joinable=joinable)
        request.phases.extend(_PHASES[phase] for phase in phases)  # type: ignore[misc]  # stubs want their own integers
        async for page in self._channel.pages(self._channel.games.ListGames, request):
            freshness = from_message(page.freshness, Freshness) if page.HasField("freshness") else None
            yield ListedPage(tuple(map(listed_of, page.games)), freshness)

    async def create(
        self,
        rulebook: str,
        *,
        options: Options = DEFAULT_OPTIONS,
        private: bool = False,
        seats: int | None = None,
        spectator_delay_seconds: int = 0,
        without_seat: bool = False,
        own_chain: bool | None = None,
        sign_moves: bool = False,
    ) -> Table:
        """Set up a table and, unless the client only wants to run it, take a seat as `join` does."""
        own = not without_seat and self._seats.brings_chain(own_chain=own_chain, sign_moves=sign_moves)
        request = wire.CreateGameRequest(
            request_id=new_request_id(),
            rulebook=rulebook,
            options=to_message(options, game_pb2.Options),
            seats_max=seats,
            private=private,
            spectator_delay_seconds=spectator_delay_seconds,
            # A chain depends on the id of the game, so a player who brings one sits down afterwards.
            without_seat=without_seat or own,
        )
        answer = await self._channel.ask(self._channel.games.CreateGame, request)
        table = self.table(answer.game.view.game_id)
        await self._seats.accepted(table.game_id, answer.receipt)
        if own:
            await self._seats.take(table.game_id, "", sign_moves=sign_moves)
        return table

    async def join(
        self,
        game_id: str,
        *,
        code: str = "",
        anchor: bytes = b"",
        own_chain: bool | None = None,
        sign_moves: bool = False,
    ) -> Table:
        """Take the next free seat of a table; a private one needs its invitation code.

        With `own_chain`, which is the default for a client with a keeper of seats, the client keeps the secrets and rolls;
        with `sign_moves` it also signs all moves. A player who keeps a chain in another way gives its `anchor`. Otherwise
        the server keeps a chain for this seat, and rolls for it.
        """
        if not anchor and self._seats.brings_chain(own_chain=own_chain, sign_moves=sign_moves):
            await self._seats.take(game_id, code, sign_moves=sign_moves)
        else:
            request = wire.JoinGameRequest(
                request_id=new_request_id(), game_id=game_id, invitation_code=code, anchor=anchor
            )
            answer = await self._channel.ask(self._channel.games.JoinGame, request)
            await self._seats.accepted(game_id, answer.receipt)
        return self.table(game_id, code=code)

    def table(self, game_id: str, *, code: str = "") -> Table:
        """A table whose id is known: one that the player sits at, or one to watch."""
        return Table(self._channel, self._seats, game_id, code)

    def play(self) -> Play:
        """One call for the moves of several games and for what happens in them, to be used with `async with`."""
        return Play(self._channel, self._seats)
