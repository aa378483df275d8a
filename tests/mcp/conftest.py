"""One server and one model for all tests that need nothing special."""

from collections.abc import Iterator

import pytest

from tests.mcp.models import Model, model
from tests.servers import ServerProcess, server_process


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture(scope="session")
def shared(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    with model(server.address, tmp_path_factory.mktemp("model"), "--name", "Model", "--sign") as playing:
        yield playing
