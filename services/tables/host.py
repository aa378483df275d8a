"""What players ask of the server, carried out: commands get their seat, the server's links and the time.

A command is prepared on the state that it is decided on: whose seat it is, which link comes next and what time it is are
settled there, so a command never speaks for another seat and never brings a link that a reload has made stale.
"""

import hmac
import time
from collections.abc import Awaitable, Callable
from secrets import token_hex

from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    CreateGame,
    Forfeit,
    JoinGame,
    LeaveGame,
    PlaceBid,
    Reroll,
    Roll,
    ShowAndReroll,
    StartGame,
)
from domain.deciding import decide
from domain.deciding.checks import Calling
from domain.deciding.gathering import rules_of_table
from domain.events import AnyEvent, Hand
from domain.fairness.chain import LINK_LENGTH
from domain.ids import new_game_id
from domain.refusals import GameAlreadyStarted, NoSuchGame, Refusal, RequestIdReused
from domain.state import Ended, Gathering, Nothing, State, Table
from domain.values import Bid
from domain.views import Viewer
from services.access.caller import Caller
from services.access.table_events import TableOpened
from services.bots.names import free_name, is_bot, new_bot_id
from services.tables.application import Executed, GameApplication, Head, Prepare
from services.tables.refusals import (
    GameNotOver,
    InvitationWrong,
    NotABot,
    NotSeated,
    NotTheOwner,
    VersionMoved,
)
from services.tables.requests import Asked, NewTable, Sitter
from services.tables.signatures import check_signature
from services.tables.table_store import HostedTable, Tables, chain_of

_NO_ANCHOR = bytes(LINK_LENGTH)
"""Stands for an anchor while it is looked whether one is needed."""

Changed = Callable[[str, Executed], None]


class GameHost:
    """Carries out what players ask for, and tells those who listen that a game has changed."""

    def __init__(self, games: GameApplication, tables: Tables, now: Callable[[], int] | None = None) -> None:
        """`now` tells the time in milliseconds since 1970."""
        self.games, self.tables = games, tables
        self.now = now or (lambda: time.time_ns() // 1_000_000)
        self.listeners: list[Changed] = []

    async def create(self, asked: Asked, wanted: NewTable) -> Executed:
        """Set up a table and, unless its owner does not want to play, take the first seat."""
        rules, seats = rules_of_table(wanted.rulebook, wanted.options, wanted.seats)
        opened = TableOpened(
            at=self.now(),
            owner_id=asked.caller.player_id,
            private=wanted.private,
            spectator_delay_seconds=wanted.spectator_delay_seconds,
            rematch_of=wanted.rematch_of,
            seed=None,
            invitation_code=None,
        )
        table = await self.tables.open(asked.game_id, opened)
        assert table.opened.seed is not None
        anchor = chain_of(table.opened.seed, asked.game_id, rules.links_max(seats)).anchor
        command = CreateGame(
            at=self.now(),
            game_id=asked.game_id,
            rulebook=wanted.rulebook,
            server_anchor=anchor,
            options=wanted.options,
            seats=seats,
        )
        executed = await self._execute(asked, lambda _state, _head: command)
        return executed if wanted.without_seat else await self.join(_part(asked, "join"), code=None, owner=True)

    async def join(
        self, asked: Asked, *, code: str | None, anchor: bytes = b"", signing_key: bytes = b"", owner: bool = False
    ) -> Executed:
        """Take a seat, with a chain of the player's own or one that the server keeps."""
        table = await self.tables.load(asked.game_id)
        if not owner:
            await self._check_invitation(table, asked.caller, code)
        sitter = Sitter(asked.caller.player_id, asked.caller.name, "human", anchor, signing_key)
        return await self._join(asked, sitter)

    async def add_bot(self, asked: Asked, strategy: str) -> Executed:
        """Let a bot take a seat."""
        bot_id = new_bot_id(strategy, asked.caller.player_id, asked.game_id, asked.request_id)
        await self._table_to_run(asked)
        return await self._join(asked, Sitter(bot_id, None, "bot"))

    async def leave(self, asked: Asked, bot_seat: int | None) -> Executed:
        """Give a seat back: the caller's own, or that of a bot."""
        table = None if bot_seat is None else await self._table_to_run(asked)

        def leaving(state: State, seat: int) -> AnyCommand:
            if bot_seat is not None:
                players = table_of(state).players
                if not 0 <= bot_seat < len(players) or not is_bot(players[bot_seat]):
                    raise NotABot(seat=bot_seat)
                seat = bot_seat
            return LeaveGame(at=self.now(), seat=seat)

        return await self._act(asked, leaving, seated=bot_seat is None, table=table)

    async def start(self, asked: Asked, opener: int | None) -> Executed:
        """Close the table and begin."""
        table = await self._table_to_run(asked)

        def starting(_state: State, _seat: int) -> AnyCommand:
            return StartGame(at=self.now(), opener=opener)

        return await self._act(asked, starting, seated=False, table=table)

    async def roll(self, asked: Asked, link: bytes) -> Executed:
        """Roll for the caller's seat."""
        table = await self.tables.with_chain(asked.game_id, asked.caller.player_id)

        def rolling(state: State, seat: int) -> AnyCommand:
            own, servers = self._links(table, state, seat, link)
            return Roll(at=self.now(), seat=seat, link=own, server_link=servers)

        return await self._act(asked, rolling)

    async def bid(self, asked: Asked, bid: Bid, shown: Hand | None = None, link: bytes = b"") -> Executed:
        """Open or raise, and maybe show and reroll in the same step."""
        if shown is None:
            return await self._act(
                asked,
                lambda _state, seat: PlaceBid(at=self.now(), seat=seat, quantity=bid.quantity, face=bid.face),
            )
        table = await self.tables.with_chain(asked.game_id, asked.caller.player_id)

        def bidding(state: State, seat: int) -> AnyCommand:
            reroll = self._reroll(table, state, seat, shown, link)
            return PlaceBid(at=self.now(), seat=seat, quantity=bid.quantity, face=bid.face, reroll=reroll)

        return await self._act(asked, bidding)

    async def show_and_reroll(self, asked: Asked, shown: Hand, link: bytes) -> Executed:
        """Show dice and reroll the others, after the own bid."""
        table = await self.tables.with_chain(asked.game_id, asked.caller.player_id)

        def showing(state: State, seat: int) -> AnyCommand:
            return ShowAndReroll(at=self.now(), seat=seat, reroll=self._reroll(table, state, seat, shown, link))

        return await self._act(asked, showing)

    async def challenge(self, asked: Asked) -> Executed:
        """Doubt the standing bid."""
        return await self._act(asked, lambda _state, seat: Challenge(at=self.now(), seat=seat))

    async def forfeit(self, asked: Asked) -> Executed:
        """Give up."""
        return await self._act(asked, lambda _state, seat: Forfeit(at=self.now(), seat=seat))

    async def abandon(self, asked: Asked, reason: str) -> Executed:
        """End a game without a winner."""
        return await self._act(asked, lambda _state, _seat: AbandonGame(at=self.now(), reason=reason), seated=False)

    async def rematch(self, caller: Caller, game_id: str) -> str:
        """Set up another game of the same kind with the same bots, or find the one that was; the caller gets a seat."""
        state, _ = await self.games.load(game_id)
        before = table_of(state)
        seat_of(state, game_id, caller.player_id)
        if not isinstance(state, Ended):
            raise GameNotOver
        # Nobody else may work out the id: that there is such a table tells that the game is over.
        table = await self.tables.promise_rematch(game_id, new_game_id(game_id, token_hex()), self.now())
        rematch_id = table.rematch_id
        assert rematch_id is not None, "it was promised"
        wanted = NewTable(
            rulebook=before.rulebook,
            options=before.options,
            seats=before.seats,
            private=table.opened.private,
            spectator_delay_seconds=table.opened.spectator_delay_seconds,
            without_seat=True,
            rematch_of=game_id,
        )
        await self.create(Asked(Caller(table.opened.owner_id, ""), rematch_id, "rematch"), wanted)
        await self._join_unless_seated(rematch_id, Sitter(caller.player_id, caller.name, "human"))
        for player in before.players:
            if is_bot(player):
                await self._join_unless_seated(rematch_id, Sitter(player.player_id, player.name, "bot"))
        return rematch_id

    async def begin(self, asked: Asked, events: tuple[AnyEvent, ...]) -> Executed:
        """Begin a game with a past that was decided elsewhere, at a table that is there."""
        request = _request_of(asked)
        return await self._told(asked, self.games.begin(asked.game_id, events, request, fingerprint=asked.fingerprint))

    async def execute(self, game_id: str, command: Prepare, request_id: str) -> Executed:
        """Carry out a command of the server itself."""
        executed = await self.games.execute(game_id, command, request_id)
        self._tell(game_id, executed)
        return executed

    async def visible(self, game_id: str, caller: Caller, code: str) -> tuple[HostedTable, State, Head, Viewer]:
        """A game that the caller may see, and as whom."""
        table = await self.tables.load(game_id)
        state, head = await self.games.load_head(game_id)
        if isinstance(state, Nothing):
            raise NoSuchGame
        viewer = viewer_of(state, caller.player_id)
        if viewer is None:
            await self._check_invitation(table, caller, code)
        return table, state, head, viewer

    async def _join_unless_seated(self, game_id: str, sitter: Sitter) -> None:
        state, _ = await self.games.load(game_id)
        if isinstance(state, Gathering) and viewer_of(state, sitter.player_id) is None:
            asked = Asked(Caller(sitter.player_id, ""), game_id, f"rematch:{sitter.player_id}")
            await self._join(asked, sitter)

    async def _join(self, asked: Asked, sitter: Sitter) -> Executed:
        hosted = await self.tables.load(asked.game_id)

        def joining(anchor: bytes) -> Prepare:
            def prepared(state: State, head: Head) -> AnyCommand:
                self._check_may_know(hosted, state, asked)
                _check_version(asked, head.version)
                return self._joining(table_of(state), sitter, anchor)

            return prepared

        if sitter.anchor:
            return await self._execute(asked, joining(sitter.anchor))
        state, head = await self.games.load_head(asked.game_id)
        try:
            decide(joining(_NO_ANCHOR)(state, head), state)
        except Refusal as refusal:
            # No chain is kept for one who gets no seat; if the same request got one before, it gets that answer.
            return await self._execute(asked, _raising(refusal))
        table = await self.tables.keep_chain(asked.game_id, sitter.player_id, self.now())
        length = table_of(state).fairness.chain_length
        return await self._execute(
            asked, joining(chain_of(table.seeds[sitter.player_id], asked.game_id, length).anchor)
        )

    def _joining(self, table: Table, sitter: Sitter, anchor: bytes) -> AnyCommand:
        return JoinGame(
            at=self.now(),
            player_id=sitter.player_id,
            name=free_name([player.name for player in table.players]) if sitter.name is None else sitter.name,
            anchor=anchor,
            kind=sitter.kind,
            chain_held_by="player" if sitter.anchor else "server",
            signing_key=sitter.signing_key or None,
        )

    async def _act(
        self,
        asked: Asked,
        prepare: Callable[[State, int], AnyCommand],
        *,
        seated: bool = True,
        table: HostedTable | None = None,
    ) -> Executed:
        """Carry out a command that is prepared for the caller's seat, or one of who runs a table and may have none."""

        def prepared(state: State, head: Head) -> AnyCommand:
            if isinstance(state, Nothing):
                raise NoSuchGame
            if table is not None:
                self._check_may_know(table, state, asked)
            _check_version(asked, head.version)
            command = prepare(state, seat_of(state, asked.game_id, asked.caller.player_id) if seated else -1)
            check_signature(state.table, head, command, asked.signed)
            return command

        return await self._execute(asked, prepared)

    async def _execute(self, asked: Asked, prepare: Prepare) -> Executed:
        request = _request_of(asked)
        executing = self.games.execute(
            asked.game_id, prepare, request, fingerprint=asked.fingerprint, signed=asked.signed
        )
        return await self._told(asked, executing)

    async def _told(self, asked: Asked, executing: Awaitable[Executed]) -> Executed:
        """What a request did, once those who listen know of it."""
        try:
            executed = await executing
        except RequestIdReused:
            raise RequestIdReused(request_id=asked.request_id) from None
        self._tell(asked.game_id, executed)
        return executed

    def _tell(self, game_id: str, executed: Executed) -> None:
        for listener in self.listeners:
            listener(game_id, executed)

    def _links(self, table: HostedTable, state: State, seat: int, link: bytes) -> tuple[bytes, bytes]:
        """The links that a roll takes: the player's own, or the one that the server keeps, and the server's."""
        if not isinstance(state, Calling):
            return link, b""  # Refused for a better reason than a missing link.
        number, length = state.link_number, state.table.fairness.chain_length
        player = state.table.players[seat]
        if number > length:
            return link, b""
        own = table.kept_link(player.player_id, number, length) if player.chain_held_by == "server" else link
        return own, table.server_link(number, length)

    def _reroll(self, table: HostedTable, state: State, seat: int, shown: Hand, link: bytes) -> Reroll:
        own, servers = self._links(table, state, seat, link)
        return Reroll(shown=shown, link=own, server_link=servers)

    async def _check_invitation(self, table: HostedTable, caller: Caller, code: str | None) -> None:
        expected = table.opened.invitation_code
        if not table.opened.private or caller.player_id == table.opened.owner_id or expected is None:
            return
        if not hmac.compare_digest(expected.encode(), (code or "").encode()):
            raise InvitationWrong(game_id=table.game_id)

    def _check_may_know(self, table: HostedTable, state: State, asked: Asked) -> None:
        """Refuse a caller who comes too late before the answer tells more than spectators know."""
        seated = viewer_of(state, asked.caller.player_id) is not None
        if not seated and table.opened.delay.holds_back(state, self.now()):
            raise GameAlreadyStarted

    async def _table_to_run(self, asked: Asked) -> HostedTable:
        """The table, which its owner may run, and so may those who sit there."""
        table = await self.tables.load(asked.game_id)
        if asked.caller.player_id == table.opened.owner_id:
            return table
        state, _ = await self.games.load(asked.game_id)  # Another process may have given the seat.
        if viewer_of(state, asked.caller.player_id) is None:
            raise NotTheOwner
        return table


def table_of(state: State) -> Table:
    """The table of a game that exists."""
    if isinstance(state, Nothing):
        raise NoSuchGame
    return state.table


def viewer_of(state: State, player_id: str) -> Viewer:
    """The seat of a player, or None for one who only watches."""
    if isinstance(state, Nothing):
        return None
    for seat, player in enumerate(state.table.players):
        if player.player_id == player_id:
            return seat
    return None


def seat_of(state: State, game_id: str, player_id: str) -> int:
    """The seat of a player who has one."""
    seat = viewer_of(state, player_id)
    if seat is None:
        raise NotSeated(game_id=game_id)
    return seat


def _check_version(asked: Asked, version: int) -> None:
    if asked.expected_version is not None and asked.expected_version != version:
        raise VersionMoved(version=version, expected_version=asked.expected_version)


def _raising(refusal: Refusal) -> Prepare:
    def prepared(_state: State, _head: Head) -> AnyCommand:
        raise refusal

    return prepared


def _request_of(asked: Asked) -> str:
    """The request as a game knows it: two players may use the same id."""
    return f"{asked.caller.player_id}:{asked.request_id}"


def _part(asked: Asked, part: str) -> Asked:
    """A further step of the same request."""
    return Asked(asked.caller, asked.game_id, f"{asked.request_id}:{part}", None, asked.fingerprint)
