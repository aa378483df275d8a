"""Witnesses cosign the log in the background: their cosignatures travel in bundles, and nothing waits for one that is away."""

# ruff: noqa: ASYNC110 - nobody tells when a witness has answered
import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from infra.log.notes import Cosigner, check_signed, cosigned_at, read_note, read_vkey
from infra.log.policy import Policy, read_policy
from services.audit import witnessing
from services.audit.audits import Audits
from services.audit.logbook import Logbook
from services.audit.refusals import LogBehind
from services.verifier import verify
from tests.audit.stored_games import MAPPER, Opened, games, on_log, store_games
from tests.infra.log.served_witnesses import served_witness
from tests.infra.postgres.databases import new_database
from tests.servers import LOG_KEYS

ONE, TWO = Cosigner("example.org/one", b"1" * 32), Cosigner("example.net/two", b"2" * 32)
GAMES = games(4)
FIRST, *_, LAST = GAMES
LOGS = [read_vkey(vkey) for vkey in LOG_KEYS.vkeys]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask witnesses more often."""
    monkeypatch.setattr(witnessing, "ROUND_SECONDS", 0.02)
    monkeypatch.setattr(witnessing, "REST_SECONDS_MAX", 0.1)


def policy(quorum: str, *addresses: str) -> Policy:
    """A policy with the two witnesses."""
    lines = [
        f"witness {name} {cosigner.verifier.vkey} http://{address}/"
        for name, cosigner, address in zip(("one", "two"), (ONE, TWO), addresses, strict=True)
    ]
    return read_policy("\n".join([*lines, "group both all one two", f"quorum {quorum}", ""]).encode())


async def kept(opened: Opened, known: Policy, work: Callable[[Logbook], Awaitable[None]]) -> None:
    """Do some work while the log is kept and witnesses are asked."""
    logbook = Logbook(opened.store, opened.feed, opened.log, MAPPER, LOG_KEYS, duties=opened.duties, policy=known)
    await logbook.start()
    try:
        async with asyncio.timeout(60):
            await work(logbook)
    finally:
        await logbook.close()


async def bundle_with(opened: Opened, game_id: str, *cosigners: Cosigner) -> bytes:
    """The bundle of a game, once it has these cosignatures."""
    while True:
        try:
            bundle = await Audits(opened.store, opened.log).bundle(game_id, None)
            if all(f"— {cosigner.verifier.name} " in bundle.decode() for cosigner in cosigners):
                return bundle
        except LogBehind:
            pass
        await asyncio.sleep(0.01)


@contextmanager
def silent() -> Iterator[str]:
    """An address that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield "{}:{}".format(*listening.getsockname())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def test_cosignatures_travel_in_bundles_at_the_cosigned_size_with_its_proof(tmp_path: Path) -> None:
    async def work(opened: Opened) -> None:
        with ExitStack() as stack:
            states = (tmp_path / "one", tmp_path / "two")
            served = [
                stack.enter_context(served_witness(state, who, *LOGS))
                for state, who in zip(states, (ONE, TWO), strict=True)
            ]

            async def story(logbook: Logbook) -> None:
                for game_id, events in GAMES.items():
                    await store_games(opened.store, {game_id: events})
                    bundle = await bundle_with(opened, game_id, ONE, TWO)
                    keys = [who.verifier.vkey for who in (ONE, TWO)]
                    report = await asyncio.to_thread(verify, bundle, LOG_KEYS.vkeys[-1], keys)
                    assert "seen by 2 witnesses" in report.proven[-1]
                    assert not any("witness" in sentence for sentence in report.not_proven)
                assert logbook.witnessing.away == {}

            await kept(opened, policy("both", *served), story)
            # A server that starts anew has forgotten what the witnesses know, and asks them.
            await opened.log.note_needs_quorum(needs_quorum=False)
            more = {"more": [type(one)("more", one.originator_version, one.topic, one.state) for one in GAMES[FIRST]]}
            await store_games(opened.store, more)
            await opened.logged()
            size, _ = await opened.log.checkpoint() or (0, b"")

            async def again(_: Logbook) -> None:
                while (await opened.log.cosigned_after(size - 1)) is None:
                    await asyncio.sleep(0.01)

            await kept(opened, policy("none", *served), again)

    on_log(new_database(), work)


def test_a_witness_that_is_away_or_silent_delays_nothing_and_is_told_of(tmp_path: Path) -> None:
    async def work(opened: Opened) -> None:
        with silent() as nobody, served_witness(tmp_path / "one", ONE, *LOGS) as there:

            async def story(_: Logbook) -> None:
                await store_games(opened.store, GAMES)
                bundle = await bundle_with(opened, LAST, ONE)
                note = read_note((await opened.log.cosigned_after(0) or (0, b""))[1])
                assert check_signed(note, [ONE.verifier]) == (ONE.verifier,)
                assert f"— {TWO.verifier.name} " not in bundle.decode()
                assert cosigned_at(note.signatures[-1])

            await kept(opened, policy("none", there, nobody), story)
        gone = f"127.0.0.1:{free_port()}"

        async def alone(logbook: Logbook) -> None:
            while set(logbook.witnessing.away) != {"one", "two"}:
                await asyncio.sleep(0.01)
            more = {"more": [type(one)("more", one.originator_version, one.topic, one.state) for one in GAMES[FIRST]]}
            await store_games(opened.store, more)
            await logbook.caught_up(10)
            latest = await opened.log.checkpoint()
            assert latest is not None
            assert (await opened.log.cosigned_after(latest[0] - 1)) is None

        await kept(opened, policy("none", gone, gone), alone)

    on_log(new_database(), work)


def test_with_a_quorum_proofs_wait_for_it_and_commands_do_not(tmp_path: Path) -> None:
    port = free_port()

    async def work(opened: Opened) -> None:
        with served_witness(tmp_path / "one", ONE, *LOGS) as there:

            async def story(logbook: Logbook) -> None:
                await store_games(opened.store, GAMES)
                await logbook.caught_up(10)
                while (await opened.log.cosigned_of((await opened.log.sizes())[0])) is None:
                    await asyncio.sleep(0.01)
                with pytest.raises(LogBehind):
                    await Audits(opened.store, opened.log).bundle(LAST, None)
                with served_witness(tmp_path / "two", TWO, *LOGS, port=port):
                    bundle = await bundle_with(opened, LAST, ONE, TWO)
                    assert verify(bundle).game_id == LAST

            await kept(opened, policy("both", there, f"127.0.0.1:{port}"), story)

    on_log(new_database(), work)


def test_a_witness_that_has_seen_a_longer_log_tells_that_the_store_was_set_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(opened: Opened, count: int, problem: str | None) -> None:
        with served_witness(tmp_path / "one", ONE, *LOGS) as there:

            async def story(logbook: Logbook) -> None:
                await store_games(opened.store, dict(list(GAMES.items())[:count]))
                await logbook.caught_up(10)
                while problem is None and await opened.log.cosigned_of((await opened.log.sizes())[0]) is None:
                    await asyncio.sleep(0.01)
                while problem is not None and problem not in logbook.witnessing.away.get("one", ""):
                    await asyncio.sleep(0.01)

            await kept(opened, policy("none", there, there), story)

    on_log(new_database(), lambda opened: work(opened, 4, None))
    on_log(new_database(), lambda opened: work(opened, 1, "was the store set back?"))
    assert "was the store set back?" in caplog.text


def test_answers_that_are_no_cosignatures_are_not_stored(tmp_path: Path) -> None:
    """A liar at the address of a witness: the cosignature of another key, and one of another text."""

    async def work(opened: Opened) -> None:
        with served_witness(tmp_path / "two", TWO, *LOGS) as liar:

            async def story(logbook: Logbook) -> None:
                await store_games(opened.store, GAMES)
                while "no good signature of its key" not in logbook.witnessing.away.get("one", ""):
                    await asyncio.sleep(0.01)
                assert await opened.log.cosigned_after(0) is None

            text = f"witness one {ONE.verifier.vkey} http://{liar}\nquorum none\n"
            await kept(opened, read_policy(text.encode()), story)

    on_log(new_database(), work)
