"""`liarsdice play` over TLS: the servers that it trusts, and the certificate that it shows."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from services.access.endpoint import Tls
from services.app.settings import Settings
from tests.certificates import made
from tests.cli.terminals import ENVIRONMENT, command
from tests.infra.postgres.databases import new_database
from tests.servers import SECONDS_MAX, served


@pytest.fixture(scope="module")
def url() -> str:
    return new_database()


def answered(url: str, folder: Path, tls: Tls, *flags: str, trusted: Path | None = None) -> bool:
    """Whether a player with these flags reaches a server, on a system that trusts this authority."""
    environment = ENVIRONMENT | ({} if trusted is None else {"SSL_CERT_FILE": str(trusted)})

    def played(address: str) -> str:
        ran = subprocess.run(
            command(address, folder, "--name", "Ann", *flags),
            env=environment,
            input="q\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS_MAX,
        )
        return ran.stdout + ran.stderr

    async def told() -> str:
        async with served(url, Settings(tls=tls)) as server:
            return await asyncio.to_thread(played, server.address)

    shown = asyncio.run(told())
    assert ("You are Ann" in shown) != ("does not answer" in shown), shown
    return "You are Ann" in shown


def test_an_authority_of_ones_own_or_of_the_system_is_trusted(url: str, tmp_path: Path) -> None:
    _, certificate, key = made(tmp_path, "server")
    _, other, _ = made(tmp_path, "other")
    tls = Tls(certificate, key)

    assert answered(url, tmp_path, tls, "--tls-ca", str(certificate))
    assert answered(url, tmp_path, tls, "--tls", trusted=certificate)
    assert not answered(url, tmp_path, tls, "--tls", trusted=other)


def test_a_server_that_asks_for_a_certificate_is_shown_it(url: str, tmp_path: Path) -> None:
    _, certificate, key = made(tmp_path, "server")
    _, own, own_key = made(tmp_path, "client")
    tls = Tls(certificate, key, client_ca=own)
    shown = ("--tls-certificate", str(own), "--tls-key", str(own_key))

    assert answered(url, tmp_path, tls, "--tls-ca", str(certificate), *shown)
    assert not answered(url, tmp_path, tls, "--tls-ca", str(certificate))
