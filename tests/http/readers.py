"""A real server with HTTP on a real database, and readers who ask it; games come from clients that play over gRPC."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

import httpx
import msgspec

from services.app.settings import Settings
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, server
from tests.servers import SECONDS_MAX, SHARED_SETTINGS, projected, run

Result = TypeVar("Result")
HTTP_SETTINGS = SHARED_SETTINGS
API = "/api/v1"


class Event(NamedTuple):
    """A server-sent event; a comment has no kind."""

    kind: str
    number: int | None
    data: Any


class Site:
    """A server, and a reader without a token."""

    def __init__(self, server: Server, client: httpx.AsyncClient) -> None:
        self.server, self.client = server, client

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self.client.base_url)

    async def get(self, path: str, reader: Player | None = None, **given: Any) -> httpx.Response:
        """The answer to a request of somebody."""
        headers = {**given.pop("headers", {}), **_credentials(reader)}
        return await self.client.get(path, headers=headers, **given)

    async def read(self, path: str, reader: Player | None = None, **given: Any) -> Any:
        """The content of an answer, which must not be a failure."""
        answer = await self.get(f"{API}{path}", reader, **given)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.headers["content-type"].startswith("application/json") else answer.text

    async def eventually(self, path: str, what: Callable[[Any], bool]) -> Any:
        """The content of an answer once it fits; the read models may be a moment behind."""
        while not what(found := await self.read(path)):  # noqa: ASYNC110 - nobody tells when
            await asyncio.sleep(0.02)
        return found

    async def refused(self, path: str, reader: Player | None = None, **given: Any) -> Any:
        """The problem that a request runs into."""
        answer = await self.get(path if path.startswith("/") else f"{API}/{path}", reader, **given)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        assert answer.headers["cache-control"] == "no-store"
        problem = answer.json()
        assert problem["status"] == answer.status_code
        return problem

    @asynccontextmanager
    async def stream(
        self, path: str, reader: Player | None = None, after: int | None = None, **given: Any
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """The events of a stream."""
        headers = {**_credentials(reader), **({} if after is None else {"Last-Event-ID": str(after)})}
        async with self.client.stream("GET", f"{API}{path}", headers=headers, **given) as answer:
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield _events(answer)

    async def events(self, path: str, reader: Player | None = None, **given: Any) -> list[Event]:
        """All events of a stream that ends, without comments."""
        async with self.stream(path, reader, **given) as events:
            return [event async for event in events if event.kind]

    async def played(self, rulebook: str = "single-hand", seats: int = 2, **table: Any) -> tuple[str, list[Client]]:
        """A whole game, which the read models have."""
        players = await self.server.players(seats)
        game_id = await self.server.table(players, rulebook, **table)
        clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
        following = [asyncio.create_task(client.play()) for client in clients]
        await players[0].ask("StartGame", game_id=game_id)
        await asyncio.gather(*following)
        await projected(self.server.running, game_id)
        return game_id, clients

    async def listed(self, game_id: str) -> None:
        """Wait until the lists have a game."""
        await projected(self.server.running, game_id, over=False)


async def _events(answer: httpx.Response) -> AsyncIterator[Event]:
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
        elif fields:
            data = msgspec.json.decode(fields["data"]) if "data" in fields else None
            yield Event(fields.get("event", ""), int(fields["id"]) if "id" in fields else None, data)
            fields = {}


def _credentials(reader: Player | None) -> dict[str, str]:
    return {} if reader is None or not reader.token else {"Authorization": f"Bearer {reader.token}"}


@asynccontextmanager
async def site(url: str | None = None, settings: Settings = HTTP_SETTINGS) -> AsyncIterator[Site]:
    """A server that is read over HTTP; the shared one if no database is named."""
    async with server(url, settings) as running:
        reading = running.running.reading
        assert reading is not None
        nobody = ssl.SSLContext(
            ssl.PROTOCOL_TLS_CLIENT
        )  # To load whom the system trusts takes longer than most answers.
        async with httpx.AsyncClient(base_url=reading.url, timeout=SECONDS_MAX, verify=nobody) as client:
            yield Site(running, client)


def on_site(
    story: Callable[[Site], Awaitable[Result]],
    settings: Settings = HTTP_SETTINGS,
    url: str | None = None,
    *,
    own: bool = False,
) -> Result:
    """The result of a story on a server with HTTP: the shared one, or its `own` if the story changes the server."""
    where = url or (new_database(lanes=2) if own or settings is not HTTP_SETTINGS else None)

    async def told() -> Result:
        async with site(where, settings) as running:
            return await story(running)

    return run(told()) if where is None else asyncio.run(told())
