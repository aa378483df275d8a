"""Carries out what players ask for: to set up a table, to join it, to make a move, to play again."""

import hmac
import time
from collections.abc import Callable
from secrets import token_bytes

from msgspec import Struct

from domain.commands import AnyCommand, CreateGame, JoinGame
from domain.deciding import decide
from domain.deciding.gathering import rules_of_table
from domain.events import AnyEvent
from domain.fairness.chain import LINK_LENGTH
from domain.ids import new_game_id
from domain.naming import distinct_name
from domain.refusals import NoSuchGame, Refusal, RequestIdReused
from domain.state import Ended, Gathering, Nothing, State
from domain.views import Viewer
from services.access.caller import Caller
from services.access.table_events import TableOpened
from services.bots.names import free_name, is_bot, new_bot_id
from services.tables.allowance import Allowance
from services.tables.application import Executed, GameApplication, Head, Prepare
from services.tables.command_tally import CommandTally
from services.tables.game_length import check_may_join
from services.tables.moves import MakeBid, Move, RollDice, ShowDice, Start
from services.tables.orders import RUNNING_A_TABLE, CallersOrder, ServersOrder, check_may_know, check_version
from services.tables.refusals import GameNotOver, InvitationWrong, NotTheOwner, TooManyTables
from services.tables.request_marks import RequestMarks
from services.tables.requests import Asked, NewTable, Sitter
from services.tables.seats import seat_of, table_of, viewer_of
from services.tables.table_store import HostedTable, Tables, chain_of

_NO_ANCHOR = bytes(LINK_LENGTH)
"""Placeholder until we know whether the player needs an anchor."""


class GameHost:
    """Carries out what players ask for."""

    def __init__(
        self,
        games: GameApplication,
        tables: Tables,
        marks: RequestMarks,
        allowance: Allowance,
        now: Callable[[], int] | None = None,
    ) -> None:
        """`now` tells the time in milliseconds since 1970."""
        self.games, self.tables, self.marks, self.allowance = games, tables, marks, allowance
        self.now = now or (lambda: time.time_ns() // 1_000_000)
        self.commands = CommandTally()

    async def create(self, asked: Asked, wanted: NewTable) -> Executed:
        """Set up a table, and give its owner the first seat unless `without_seat` is set."""
        return await self.commands.counted("create", self._create(asked, wanted))

    async def join(self, asked: Asked, *, code: str | None, anchor: bytes = b"", signing_key: bytes = b"") -> Executed:
        """Give the caller a seat, with the player's own chain or, without an anchor, with one that the server keeps."""
        return await self.commands.counted("join", self._seated(asked, code, anchor, signing_key))

    async def add_bot(self, asked: Asked, strategy: str) -> Executed:
        """Give a bot a seat."""
        return await self.commands.counted("add_bot", self._bot_seated(asked, strategy))

    async def play(self, asked: Asked, move: Move) -> Executed:
        """Make a move for the caller."""
        return await self.commands.counted_move(move, self._moved(asked, move))

    async def rematch(self, caller: Caller, game_id: str, *, without_seat: bool = False) -> Executed:
        """What this call did to the rematch. The first call sets it up, with the same bots.

        The caller gets a seat there only if the server kept the chain before: a player with an own chain must bring a new
        one, and would not notice a seat that is trusted to the server instead.
        """
        return await self.commands.counted("rematch", self._rematch(caller, game_id, without_seat=without_seat))

    async def begin(self, asked: Asked, events: tuple[AnyEvent, ...]) -> Executed:
        """Begin a game at an existing table, with events that somebody else has decided."""
        return await self.commands.counted("fork", self._begin(asked, events))

    async def make(self, game_id: str, order: ServersOrder, request_id: str) -> Executed:
        """Make a move that the server itself has chosen."""
        return await self.commands.counted_move(order.move, self.games.execute(game_id, order.prepare, request_id))

    async def visible(self, game_id: str, caller: Caller, code: str) -> tuple[HostedTable, State, Head, Viewer]:
        """The table, state and head of a game that the caller may see, and the caller's seat in it, if any."""
        table = await self.tables.load(game_id)
        state, head = await self.games.load_head(game_id)
        if isinstance(state, Nothing):
            raise NoSuchGame
        viewer = viewer_of(state, caller.player_id)
        if viewer is None:
            check_invitation(table, caller, code)
        return table, state, head, viewer

    async def _create(self, asked: Asked, wanted: NewTable) -> Executed:
        rules, seats = rules_of_table(wanted.rulebook, wanted.options, wanted.seats)
        try:
            await self.allowance.allow_table(asked.caller.player_id, asked.game_id)
        except TooManyTables:
            if not await self.tables.exists(asked.game_id):  # The same request may have set it up before.
                raise
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
        executed = await self._execute(asked, command)
        return executed if wanted.without_seat else await self._seated(_part(asked, "join"), None, owner=True)

    async def _seated(
        self, asked: Asked, code: str | None, anchor: bytes = b"", signing_key: bytes = b"", *, owner: bool = False
    ) -> Executed:
        table = await self.tables.load(asked.game_id)
        if not owner:
            check_invitation(table, asked.caller, code)
        sitter = Sitter(asked.caller.player_id, asked.caller.name, "human", anchor, signing_key)
        return await self._join(asked, sitter)

    async def _bot_seated(self, asked: Asked, strategy: str) -> Executed:
        bot_id = new_bot_id(strategy, asked.caller.player_id, asked.game_id, asked.request_id)
        await self._table_to_run(asked)
        return await self._join(asked, Sitter(bot_id, None, "bot"))

    async def _moved(self, asked: Asked, move: Move) -> Executed:
        order = CallersOrder(move, asked, self.now, await self._table_for(asked, move))
        if isinstance(move, Start):
            await self._check_bots(order)
        return await self._execute(asked, order.prepare)

    async def _rematch(self, caller: Caller, game_id: str, *, without_seat: bool) -> Executed:
        state, _ = await self.games.load(game_id)
        before = table_of(state)
        held_by = before.players[seat_of(state, game_id, caller.player_id)].chain_held_by
        if not isinstance(state, Ended):
            raise GameNotOver
        # Nobody may guess the id: a spectator who sees the game late would learn from it that the game is over.
        table = await self.tables.promise_rematch(game_id, new_game_id(token_bytes(), game_id), self.now())
        rematch_id = table.rematch_id
        assert rematch_id is not None, "it was promised"
        # Each step below does nothing if it was done before, so the next caller completes what a crash cut short.
        wanted = NewTable(
            rulebook=before.rulebook,
            options=before.options,
            seats=before.seats,
            private=table.opened.private,
            spectator_delay_seconds=table.opened.spectator_delay_seconds,
            without_seat=True,
            rematch_of=game_id,
        )
        done = await self._create(Asked(Caller(table.opened.owner_id, ""), rematch_id, "rematch"), wanted)
        sitters = [Sitter(player.player_id, player.name, "bot") for player in before.players if is_bot(player)]
        if held_by == "server" and not without_seat:
            sitters.insert(0, Sitter(caller.player_id, caller.name, "human"))
        for sitter in sitters:
            done = await self._join_unless_seated(rematch_id, sitter) or done
        return done

    async def _begin(self, asked: Asked, events: tuple[AnyEvent, ...]) -> Executed:
        try:
            return await self.games.begin(asked.game_id, events, _request_of(asked), fingerprint=asked.fingerprint)
        except RequestIdReused:
            raise RequestIdReused(request_id=asked.request_id) from None

    async def _check_bots(self, order: CallersOrder) -> None:
        """Refuse to start a game with bots if the owner of the table has too many of them."""
        assert order.table is not None, "a table is loaded to be started"
        game_id = order.table.game_id
        state, _ = self.games.held(game_id) or await self.games.load(game_id)
        if isinstance(state, Gathering) and any(map(is_bot, state.table.players)):
            await self.allowance.allow_bots(order.table.opened.owner_id, game_id)

    async def _table_for(self, asked: Asked, move: Move) -> HostedTable | None:
        """The table if the move needs it, otherwise None. Most moves do not, and then nothing is read."""
        match move:
            case RollDice() | ShowDice():
                return await self.tables.with_chain(asked.game_id, asked.caller.player_id)
            case MakeBid(showing=showing) if showing is not None:
                return await self.tables.with_chain(asked.game_id, asked.caller.player_id)
            case _ if isinstance(move, RUNNING_A_TABLE):
                return await self._table_to_run(asked)
            case _:
                return None

    async def _join_unless_seated(self, game_id: str, sitter: Sitter) -> Executed | None:
        state, _ = await self.games.load(game_id)
        if not isinstance(state, Gathering) or viewer_of(state, sitter.player_id) is not None:
            return None
        return await self._join(Asked(Caller(sitter.player_id, ""), game_id, f"rematch:{sitter.player_id}"), sitter)

    async def _join(self, asked: Asked, sitter: Sitter) -> Executed:
        order = _JoinOrder(await self.tables.load(asked.game_id), sitter, asked, self.now)
        if sitter.anchor:
            return await self._execute(asked, order.prepare)
        state, head = await self.games.load_head(asked.game_id)
        try:
            decide(order.prepare(state, head), state)
        except Refusal:
            # A player who gets no seat gets no chain either. `_execute` raises this refusal again, unless the same
            # request got a seat before: then it returns that answer.
            return await self._execute(asked, order.prepare)
        table = await self.tables.keep_chain(asked.game_id, sitter.player_id, self.now())
        length = table_of(state).fairness.chain_length
        order.anchor = chain_of(table.seeds[sitter.player_id], asked.game_id, length).anchor
        return await self._execute(asked, order.prepare)

    async def _execute(self, asked: Asked, command: AnyCommand | Prepare) -> Executed:
        try:
            return await self.games.execute(
                asked.game_id, command, _request_of(asked), fingerprint=asked.fingerprint, signed=asked.signed
            )
        except RequestIdReused:
            raise RequestIdReused(request_id=asked.request_id) from None

    async def _table_to_run(self, asked: Asked) -> HostedTable:
        """The table, if the caller may run it: its owner may, and so may everybody who has a seat."""
        table = await self.tables.load(asked.game_id)
        if asked.caller.player_id == table.opened.owner_id:
            return table
        state, _ = await self.games.load(asked.game_id)  # Another process may have given the seat.
        if viewer_of(state, asked.caller.player_id) is None:
            raise NotTheOwner
        return table


class _JoinOrder(Struct):
    """A player or a bot who is about to take a seat."""

    table: HostedTable
    sitter: Sitter
    asked: Asked
    now: Callable[[], int]
    anchor: bytes = _NO_ANCHOR
    """The anchor of the chain that the server keeps for this player, once it keeps one."""

    def prepare(self, state: State, head: Head) -> AnyCommand:
        """The command to join, for this state."""
        check_may_know(self.table, state, self.asked, self.now())
        check_version(self.asked.expected_version, head)
        check_may_join(head.version)
        sitter, taken = self.sitter, [player.name for player in table_of(state).players]
        return JoinGame(
            at=self.now(),
            player_id=sitter.player_id,
            # Two players may have the same name, and neither may keep the other from a seat.
            name=free_name(taken) if sitter.name is None else distinct_name(sitter.name, taken),
            anchor=sitter.anchor or self.anchor,
            kind=sitter.kind,
            chain_held_by="player" if sitter.anchor else "server",
            signing_key=sitter.signing_key or None,
        )


def check_invitation(table: HostedTable, caller: Caller, code: str | None) -> None:
    """Refuse a caller who does not know the code of a private table, unless it is the owner."""
    expected = table.opened.invitation_code
    if not table.opened.private or caller.player_id == table.opened.owner_id or expected is None:
        return
    if not hmac.compare_digest(expected.encode(), (code or "").encode()):
        raise InvitationWrong(game_id=table.game_id)


def _request_of(asked: Asked) -> str:
    """The request id within a game. It names the player, because two players may use the same id."""
    return f"{asked.caller.player_id}:{asked.request_id}"


def _part(asked: Asked, part: str) -> Asked:
    """The next step of the same request, with its own id, so that it is carried out once too."""
    return Asked(asked.caller, asked.game_id, f"{asked.request_id}:{part}", None, asked.fingerprint)
