"""A model without the protocol around it: the tools are called in this process, and the answers are their bytes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec import json

from services.client import Client, Player, SeatKeeper
from services.mcp.session import Session, Setup
from services.mcp.toolbox import call


class InProcess:
    """A model that plays in this process."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.told: list[bytes] = []

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool, or its problem."""
        self.told.append(json.encode(await call(self.session, tool, arguments)))
        answer: dict[str, Any] = json.decode(self.told[-1])
        return answer


@asynccontextmanager
async def in_process(
    address: str, folder: Path | None = None, *, token: str | None = None, name: str = "Model"
) -> AsyncIterator[InProcess]:
    """A model at a server, which keeps its chains in a folder if there is one, and else lets the server roll."""

    async def connect() -> tuple[Player, Client]:
        client = Client.connect(address, token, seats=None if folder is None else SeatKeeper(folder))
        return await (client.register(name) if token is None else client.player()), client

    session = Session(connect, Setup(own_chain=folder is not None))
    try:
        yield InProcess(session)
    finally:
        await session.close()
