"""Strange calls for every rpc: fields with anything in them, damaged bytes, strange metadata, with and without tokens."""

import asyncio
from itertools import count
from random import Random
from typing import Any

import grpc

from tests.attacks.attack import Caller, made
from tests.rpc.servers import METHODS
from tests.rpc.strange_requests import TEXTS, anything, damaged

HEALTH = ("/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch")
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
STREAMS = [name for name, (_, method) in METHODS.items() if method.server_streaming]
UNARY = [name for name in METHODS if name not in STREAMS]
SPENT = ("RotateToken", "RevokeToken")
"""What makes the token of its caller worthless."""
GAME_LASTS = 300
"""After so many requests the game that they name is probably over, and a new one begins."""
_STREAM_SECONDS_MAX = 0.3
_CALL_SECONDS_MAX = 60.0
_OF_LIBRARY = "Internal error from Core"
_REQUESTS = count()


class FuzzedCalls:
    """Makes one strange call after the other."""

    def __init__(self, caller: Caller, chance: Random, name: str, root: str, games: tuple[str, ...]) -> None:
        """`root` is a token with all scopes; `games` are ended ones."""
        self._caller, self._chance, self._name, self._games = caller, chance, name, games
        self._root, self._tokens, self._spare = root, ("", ""), ""
        self._known: dict[str, Any] = {}
        self._made = 0
        self.sentence = ""
        """The words of the last failure."""

    async def begin(self) -> None:
        """Register two players, with whom more fields of requests make sense, and one whose token gets spent."""
        answers = [await self._caller.ask("Register", name=f"{self._name} {seat}") for seat in range(3)]
        self._tokens, self._spare = (answers[0].token, answers[1].token), answers[2].token
        self._known = {
            "rulebook": "single-hand",
            "reason": "why not",
            "strategy": "cautious",
            "player_id": answers[0].player.player_id,
            "other_id": answers[1].player.player_id,
            "page_token": "",
            "page_size": 10,
        }
        await self._new_game()

    async def _new_game(self) -> None:
        two = Caller(self._caller.channel, self._tokens)
        number = f"{self._name}-{next(_REQUESTS)}".replace(" ", "-")
        created = await two.ask("CreateGame", 0, request_id=number, rulebook="single-hand", seats_max=2)
        game_id = created.game.view.game_id
        await two.ask("JoinGame", 1, request_id="join", game_id=game_id)
        await two.ask("StartGame", 0, request_id="start", game_id=game_id)
        self._known["game_id"] = game_id

    async def one(self) -> tuple[str, str, bytes]:
        """Make a call; returns its method, its answer and the bytes of its request."""
        self._made += 1
        if self._made % GAME_LASTS == 0:
            await self._new_game()
        if self._chance.random() < 0.05:
            self._known["game_id"], back = self._chance.choice(self._games), self._known["game_id"]
            try:
                return await self._call()
            finally:
                self._known["game_id"] = back
        return await self._call()

    async def _call(self) -> tuple[str, str, bytes]:
        pick = self._chance.random()
        if pick < 0.03:
            return await self._beside()
        method = self._chance.choice(STREAMS if pick < 0.1 else UNARY)
        raw = self.raw(method)
        try:
            if method in STREAMS:
                return method, await self._stream(method, raw), raw
            call: Any = self._caller.channel.unary_unary(METHODS[method][0])
            await call(raw, metadata=self.metadata(method), timeout=_CALL_SECONDS_MAX)
        except grpc.aio.AioRpcError as error:
            self.sentence = error.details() or ""
            return method, "ENDED" if self.sentence == _OF_LIBRARY else error.code().name, raw
        if method in SPENT:
            self._spare = (await self._caller.ask("Register", name=f"{self._name} spare")).token
        return method, "OK", raw

    def raw(self, method: str) -> bytes:
        """A request of a method, as bytes that may be damaged."""
        request = anything(METHODS[method][1].input_type, self._chance, self._known)
        if "request_id" in METHODS[method][1].input_type.fields_by_name and self._chance.random() < 0.9:
            request.request_id = f"fuzz-{next(_REQUESTS)}"  # type: ignore[attr-defined]  # it was just asked for
        raw = request.SerializeToString()
        return damaged(raw, self._chance) if self._chance.random() < 0.3 else raw

    async def _stream(self, method: str, raw: bytes) -> str:
        path, described = METHODS[method]
        if described.client_streaming:
            call: Any = self._caller.channel.stream_stream(path)
            stream = call(metadata=self.metadata(method))
        else:
            call = self._caller.channel.unary_stream(path)
            stream = call(raw, metadata=self.metadata(method))
        try:
            async with asyncio.timeout(_STREAM_SECONDS_MAX):
                if described.client_streaming:
                    for one in self._said(method, raw):
                        await stream.write(one)
                    await stream.done_writing()
                while await stream.read() is not grpc.aio.EOF:
                    pass
        except TimeoutError:
            return "OPEN"
        except asyncio.InvalidStateError:
            pass  # The server has ended the call before all was said.
        finally:
            if not stream.done():
                stream.cancel()
        return await self._status(stream)

    async def _status(self, stream: Any) -> str:
        """The status of a call that has ended."""
        self.sentence = await stream.details() or ""
        # The client's library says this by itself, if it can't send any more because the server has ended the call.
        return "ENDED" if self.sentence == _OF_LIBRARY else str((await stream.code()).name)

    def _said(self, method: str, raw: bytes) -> list[bytes]:
        """The requests of a call that takes many; a replay begins with a game more often than chance has it."""
        more = [self.raw(method) for _ in range(self._chance.randrange(5))]
        if method == "ReplayGame" and self._chance.random() < 0.7:
            opening = {"game_id": self._known["game_id"], "wait_seconds_max": 0.0}
            return [made(method, open=opening).SerializeToString(), raw, *more]
        return [raw, *more]

    async def _beside(self) -> tuple[str, str, bytes]:
        """A call that is none of ours: health checks and reflection."""
        path = self._chance.choice((*HEALTH, REFLECTION))
        raw = damaged(b"\x0a\x03abc", self._chance)
        call: Any = self._caller.channel.unary_stream(path)
        stream = call(raw, metadata=self.metadata(path))
        try:
            async with asyncio.timeout(_STREAM_SECONDS_MAX):
                while await stream.read() is not grpc.aio.EOF:
                    pass
                return path, await self._status(stream), raw
        except TimeoutError:
            return path, "OPEN", raw
        except grpc.aio.AioRpcError as error:
            self.sentence = error.details() or ""
            return path, error.code().name, raw
        finally:
            stream.cancel()

    def metadata(self, method: str) -> tuple[tuple[str, str | bytes], ...]:
        """Who calls, in most cases somebody; and now and then something that no client sends."""
        token = self._chance.choice((*self._tokens * 4, self._root, "", "ldt_nobody", "a.b.c"))
        if method in SPENT:
            token = self._chance.choice((self._spare, "", "ldt_nobody"))
        found: tuple[tuple[str, str | bytes], ...] = (("authorization", f"Bearer {token}"),) if token else ()
        if self._chance.random() < 0.1:
            text = "".join(one for one in self._chance.choice(TEXTS) if " " < one < "\x7f")[:500]
            found += (
                self._chance.choice(
                    (
                        ("authorization", text),
                        ("x-strange", text),
                        ("x-strange-bin", self._chance.randbytes(40)),
                        ("grpc-trace-bin", self._chance.randbytes(9)),
                        ("grpc-previous-rpc-attempts", "99"),
                        ("user-agent", text),
                    )
                ),
            )
        return found
