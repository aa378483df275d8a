"""Audits and disputes over the wire: what is proven can be checked by the caller, and what is disputed is examined anew."""

import asyncio
from itertools import count
from random import Random
from typing import Any

import asyncpg
import grpc
import pytest

from domain.events import BidPlaced, ChallengeResolved, RoundEnded
from domain.rulebooks import BOOKS
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.log import merkle
from infra.log.checkpoints import open_checkpoint
from infra.log.notes import read_vkey
from infra.postgres.event_reader import EventReader
from infra.postgres.log_reader import LogReader
from infra.postgres.store import EventStore
from services.app.settings import Settings
from services.audit.audits import Audits
from services.audit.dispute_events import DISPUTE_TOPICS, DisputeOpened, dispute_stream
from services.verifier import Failed, verify
from tests.infra.postgres.databases import new_database
from tests.rpc.clients import Client
from tests.rpc.servers import Player, Server, Told, on_server
from tests.servers import served

LATE = Settings(sweep_seconds=0.05, grace_seconds=1.0)


async def played(server: Server, rulebook: str, signs: bool = False) -> tuple[list[Player], str]:  # noqa: FBT001, FBT002 - a kind of game
    """A whole game of two players with chains of their own and one without."""
    players = await server.players(3)
    created = await players[0].ask("CreateGame", rulebook=rulebook, without_seat=True, options={"dice_each": 2})
    game_id = created.game.view.game_id
    clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
    for client, own_chain in zip(clients, (True, True, False), strict=True):
        await client.join(own_chain=own_chain, signs=signs and own_chain)
    await players[0].ask("StartGame", game_id=game_id)
    await asyncio.gather(*(client.play() for client in clients))
    return players, game_id


async def one_challenge(server: Server, **fields: Any) -> tuple[Player, Player, str]:
    """A game in its second round; the first ended with a challenge of Bob's."""
    ann, bob = await server.players(2)
    game_id = await server.bidding([ann, bob], "single-hand", **fields)
    await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2)
    await bob.ask("Challenge", game_id=game_id)
    return ann, bob, game_id


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_every_round_and_the_game_can_be_audited_and_checked_by_the_caller(rulebook: str) -> None:
    async def story(server: Server) -> None:
        players, game_id = await played(server, rulebook, signs=True)
        events = await server.running.host.games.events(game_id)
        (key,) = (await server.stranger.ask("GetCheckpoint")).keys
        rounds = [event.number for event in events if isinstance(event, RoundEnded)]
        resolved = [event for event in events if isinstance(event, ChallengeResolved)]
        for number in rounds:
            answer = await players[1].ask("GetAudit", game_id=game_id, round=number)
            report = verify(answer.bundle, key)
            assert report.round == number == answer.report.round
            (audited,) = answer.report.rounds
            assert len(audited.dice) == sum(1 for _ in report.rounds[0].dice) > 0
            assert audited.clauses
            assert list(answer.report.proven) == verify(answer.bundle).proven
        whole = await players[2].ask("GetAudit", game_id=game_id)
        assert [audited.actual for audited in whole.report.rounds if audited.HasField("bid")] == [
            event.actual for event in resolved
        ]
        assert [[*place.seats] for place in whole.report.places] == [[*place] for place in verify(whole.bundle).places]
        assert [(player.chain_held_by, player.signs) for player in whole.report.players] == [
            ("player", True),
            ("player", True),
            ("server", False),
        ]
        assert any("chains of seats [2]" in sentence for sentence in whole.report.not_proven)
        flipped = bytearray(whole.bundle)
        flipped[len(flipped) // 2] ^= 1
        with pytest.raises(Failed):
            verify(bytes(flipped), key)

    on_server(story)


def test_only_what_is_over_is_audited_and_only_for_those_who_may_see_it() -> None:
    async def story(server: Server) -> None:
        ann, _, game_id = await one_challenge(server, private=True)
        stranger = await server.player("Cid")
        auditor = await server.player("Dot", ("player", "auditor"))
        code = (await ann.ask("GetGame", game_id=game_id)).game.invitation_code
        for asker, fields, reason in (
            (ann, {"round": 2}, "ROUND_NOT_OVER"),
            (ann, {"round": 99}, "ROUND_NOT_OVER"),
            (ann, {"round": -1}, "ROUND_NOT_OVER"),
            (ann, {}, "GAME_NOT_OVER_YET"),
            (stranger, {"round": 1}, "INVITATION_WRONG"),
            (server.stranger, {"round": 1}, "TOKEN_MISSING"),
        ):
            with pytest.raises(Told) as told:
                await asker.ask("GetAudit", game_id=game_id, **fields)
            assert told.value.reason == reason
        with pytest.raises(Told) as told:
            await auditor.ask("GetAudit", game_id="nothing", round=1)
        assert told.value.reason == "NO_SUCH_GAME"
        for asker, fields in ((ann, {}), (auditor, {}), (stranger, {"invitation_code": code})):
            assert (await asker.ask("GetAudit", game_id=game_id, round=1, **fields)).report.round == 1

    on_server(story)


def test_spectators_of_a_table_with_a_delay_audit_a_round_when_they_have_seen_it() -> None:
    async def story(server: Server) -> None:
        ann, _, game_id = await one_challenge(server, spectator_delay_seconds=60)
        watcher = await server.player("Cid")
        now = server.running.host.now
        await ann.ask("OpenDispute", game_id=game_id, round=1, reason="No.")
        with pytest.raises(Told) as told:
            await watcher.ask("GetAudit", game_id=game_id, round=1)
        assert told.value.reason == "ROUND_NOT_OVER"
        assert not (await watcher.ask("ListDisputes", game_id=game_id)).disputes
        server.running.host.now = lambda: now() + 61_000
        assert (await watcher.ask("GetAudit", game_id=game_id, round=1)).report.round == 1
        assert (await watcher.ask("ListDisputes", game_id=game_id)).disputes

    on_server(story, own=True)


def test_two_servers_of_one_store_and_a_reader_without_keys_give_out_the_same_bundle() -> None:
    url = new_database(2)

    async def story(server: Server) -> None:
        ann, bob, game_id = await one_challenge(server)
        async with served(url) as other, grpc.aio.insecure_channel(other.address) as channel:
            there = Player(channel, ann.token, ann.player_id)
            await bob.ask("Forfeit", game_id=game_id)
            await other.logbook.caught_up(5)
            await server.running.logbook.caught_up(5)
            latest = await ann.ask("GetCheckpoint")
            assert latest == await there.ask("GetCheckpoint")
            reader, log = await EventReader.open(url), await LogReader.open(url)
            for fields in ({"round": 1}, {"round": 2}, {}):
                bundles = {
                    (await ann.ask("GetAudit", game_id=game_id, **fields)).bundle,
                    (await there.ask("GetAudit", game_id=game_id, **fields)).bundle,
                    await Audits(reader, log).bundle(game_id, fields.get("round")),
                }
                assert len(bundles) == 1
                assert verify(bundles.pop(), latest.keys[0]).round == fields.get("round")
            await log.close()
            await reader.close()

    on_server(story, url=url)


def test_checkpoints_follow_from_each_other() -> None:
    async def story(server: Server) -> None:
        stranger = server.stranger
        assert (await stranger.ask("GetCheckpoint")).checkpoint == b""
        checkpoints = []
        for _ in range(3):
            await one_challenge(server)
            await server.running.logbook.caught_up(5)
            answer = await stranger.ask("GetCheckpoint")
            checkpoints.append(open_checkpoint(answer.checkpoint, [read_vkey(key) for key in answer.keys])[1])
        first, _, last = checkpoints
        proof = (await stranger.ask("GetConsistencyProof", old_size=first.size, new_size=last.size)).hashes
        assert merkle.verify_consistency(first.size, first.root, last.size, last.root, list(proof))
        for old, new in ((0, 99), (3, 2), (-1, 2)):
            with pytest.raises(Told) as told:
                await stranger.ask("GetConsistencyProof", old_size=old, new_size=new)
            assert told.value.reason == "SIZES_NOT_IN_LOG"

    on_server(story, url=new_database(2))


def test_a_dispute_is_examined_ruled_on_remarked_on_and_closed() -> None:
    async def story(server: Server) -> None:
        ann, bob, game_id = await one_challenge(server)
        auditor = await server.player("Dot", ("player", "auditor"))

        opened = await ann.ask("OpenDispute", game_id=game_id, round=1, reason="I had a two.", request_id="d")
        again = await ann.ask("OpenDispute", game_id=game_id, round=1, reason="I had a two.", request_id="d")
        assert opened == again
        dispute = opened.dispute
        assert (dispute.round, dispute.seat, dispute.player_id, dispute.reason) == (1, 0, ann.player_id, "I had a two.")
        assert dispute.ruling.stands
        assert dispute.ruling.proven
        assert not dispute.HasField("closing")

        where = {"game_id": game_id, "round": 1, "seat": 0}
        await auditor.ask("AnnotateDispute", **where, text="Looked at it.")
        closed = (await auditor.ask("CloseDispute", **where, text="Nothing wrong.")).dispute
        assert [remark.text for remark in closed.remarks] == ["Looked at it."]
        assert (closed.closing.auditor_id, closed.closing.text) == (auditor.player_id, "Nothing wrong.")
        await bob.ask("OpenDispute", game_id=game_id, round=1, reason="Me too.")
        assert [one.seat for one in (await bob.ask("ListDisputes", game_id=game_id)).disputes] == [0, 1]

        for asker, method, fields, reason in (
            (ann, "OpenDispute", {"round": 1, "reason": "Once more."}, "ALREADY_DISPUTED"),
            (ann, "OpenDispute", {"round": 1, "reason": "Other words.", "request_id": "d"}, "REQUEST_ID_REUSED"),
            (ann, "OpenDispute", {"round": 2, "reason": "Early."}, "ROUND_NOT_OVER"),
            (ann, "OpenDispute", {"round": 1, "reason": ""}, "REASON_INVALID"),
            (ann, "OpenDispute", {"round": 1, "reason": "x" * 201}, "REASON_INVALID"),
            (auditor, "OpenDispute", {"round": 1, "reason": "Not mine."}, "NOT_SEATED"),
            (ann, "CloseDispute", {"round": 1, "seat": 0, "text": "Enough."}, "SCOPE_MISSING"),
            (auditor, "AnnotateDispute", {"round": 1, "seat": 0, "text": "Late."}, "DISPUTE_CLOSED"),
            (auditor, "CloseDispute", {"round": 3, "seat": 0, "text": "What?"}, "NO_SUCH_DISPUTE"),
        ):
            with pytest.raises(Told) as told:
                await asker.ask(method, game_id=game_id, **fields)
            assert told.value.reason == reason

    on_server(story)


def test_a_round_without_a_challenge_has_no_result_to_dispute() -> None:
    async def story(server: Server) -> None:
        ann, bob, cid = await server.players(3)
        game_id = await server.bidding([ann, bob, cid])
        await cid.ask("Forfeit", game_id=game_id)
        with pytest.raises(Told) as told:
            await ann.ask("OpenDispute", game_id=game_id, round=1, reason="Hm.")
        assert told.value.reason == "NOTHING_TO_DISPUTE"
        assert (await ann.ask("GetAudit", game_id=game_id, round=1)).report.rounds[0].number == 1

    on_server(story)


def test_a_dispute_whose_ruling_was_cut_off_is_ruled_on_when_somebody_looks() -> None:
    url = new_database(2)

    async def story(server: Server) -> None:
        ann, _, game_id = await one_challenge(server)
        mapper = EventMapper(EventTranscoder(topics=DISPUTE_TOPICS))
        opened: Any = DisputeOpened(at=5, round=1, seat=0, player_id=ann.player_id, reason="Cut off.")
        store = await EventStore.open(url)
        await store.append([mapper.to_stored_event(GameEvent(dispute_stream(game_id), 1, opened))], "cut off")
        await store.close()

        answers = await asyncio.gather(*(ann.ask("ListDisputes", game_id=game_id) for _ in range(5)))

        assert all(answer.disputes[0].ruling.stands for answer in answers)
        assert len({answer.disputes[0].ruling.at.seconds for answer in answers}) == 1

    on_server(story, url=url)


def test_a_result_that_somebody_has_changed_in_the_database_does_not_stand() -> None:
    url = new_database(1)

    async def story(server: Server) -> None:
        ann, _, game_id = await one_challenge(server)
        await server.running.logbook.caught_up(5)
        connection = await asyncpg.connect(url)
        await connection.execute("ALTER TABLE lane_0.stored_events DISABLE TRIGGER ALL")
        changed = await connection.execute(
            "UPDATE lane_0.stored_events SET state = convert_to(replace(convert_from(state, 'UTF8'),"
            """ '"quantity":1', '"quantity":9'), 'UTF8') WHERE originator_id = $1 AND topic = $2""",
            game_id,
            BidPlaced.TOPIC,
        )
        assert changed == "UPDATE 1"
        await connection.close()

        dispute = (await ann.ask("OpenDispute", game_id=game_id, round=1, reason="I bid one.")).dispute

        assert not dispute.ruling.stands
        assert "digest" in dispute.ruling.finding
        audit = await ann.ask("GetAudit", game_id=game_id, round=1)
        assert (audit.failure.check, audit.HasField("report")) == ("digests", False)
        with pytest.raises(Failed):
            verify(audit.bundle)

    on_server(story, url=url)


def test_a_dispute_costs_the_player_what_it_touches() -> None:
    """It reads a whole game, so a player who has spent everything waits before the next one."""

    async def story(server: Server) -> None:
        ann, bob, game_id = await one_challenge(server)
        await ann.ask("OpenDispute", game_id=game_id, round=1, reason="why not")
        with pytest.raises(Told) as refused:
            await ann.ask("OpenDispute", game_id=game_id, round=1, reason="once more")
        await bob.ask("OpenDispute", game_id=game_id, round=1, reason="me too")

        assert refused.value.reason == "READ_TOO_MUCH"

    on_server(story, Settings(sweep_seconds=0.05, grace_seconds=1.0, read_rate=1.0), own=True)


def test_a_game_verifies_although_the_clock_of_the_server_was_set_back_and_forth() -> None:
    """No event gets a time before the one of the event before it, whatever the clock says."""
    clock, chance = count(1_900_000_000_000, 20), Random(7)

    async def story(server: Server) -> None:
        server.running.host.now = lambda: next(clock) + chance.choice((0, -3_600_000, 5_000, -50, 86_400_000))
        players, game_id = await played(server, "bidding-track", signs=True)
        times = [event.at for event in await server.running.host.games.events(game_id)]
        assert times == sorted(times)
        server.running.host.now = lambda: next(clock) + 10 * 86_400_000
        answer = await players[0].ask("GetAudit", game_id=game_id)
        assert not answer.HasField("failure")
        assert verify(answer.bundle).game_id == game_id

    on_server(story, own=True)
