"""A player who gave a signing key signs every move, and nothing else is accepted from that seat."""

import asyncio
import itertools
from base64 import b64encode
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from liarsdice.v1 import game_pb2

from domain.events import BidChallenged, BidPlaced, DiceRerolled, PlayerForfeited, Rolled
from domain.fairness.chain import make_chain
from infra.events.evidence import first_digest
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from tests.rpc.clients import Client, signature
from tests.rpc.servers import Player, Server, Told, on_server
from tests.servers import KEYS

KEY = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
PUBLIC = KEY.public_key().public_bytes_raw()
MOVES = (Rolled, BidPlaced, DiceRerolled, BidChallenged, PlayerForfeited)


async def stored_events(server: Server, game_id: str) -> list[GameEvent]:
    """The events of a game as they lie in the store; their digests are checked on the way."""
    mapper = EventMapper(EventTranscoder(KEYS, must_open=True))
    digest, events = first_digest(game_id), []
    for stored in await server.running.host.games.stored(game_id):
        events.append(mapper.to_domain_event(stored))
        digest = mapper.digest(stored, digest)
        assert events[-1].digest == digest
    return events


async def signing_table(server: Server) -> tuple[Player, Player, str, Any]:
    """A game in which Ann, on seat 0, signs and is to open; Bob on seat 1 does not sign."""
    ann, bob = await server.players(2)
    created = (await bob.ask("CreateGame", rulebook="single-hand", without_seat=True, seats_max=2)).game
    game_id = created.view.game_id
    chain = make_chain(Random(5).randbytes(32), game_id, created.chain_length)
    await ann.ask("JoinGame", game_id=game_id, anchor=chain.anchor, signing_key=PUBLIC)
    await bob.ask("JoinGame", game_id=game_id)
    await bob.ask("StartGame", game_id=game_id, opener=0)
    game = await ann.sees(game_id, lambda game: game.view.moves.roll and list(game.view.waiting) == [0])
    link = chain.link(game.link_number)
    await ann.ask("Roll", game_id=game_id, link=link, signature=signature(KEY, game, "Roll", {"link": link}))
    game = await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)
    return ann, bob, game_id, game


@pytest.mark.parametrize("rulebook", ["bidding-track", "palafico"])
def test_whole_games_with_signed_moves(rulebook: str) -> None:
    async def story(server: Server) -> None:
        players = await server.players(3)
        game_id = (
            await players[0].ask("CreateGame", rulebook=rulebook, without_seat=True, options={"dice_each": 2})
        ).game.view.game_id
        clients = [Client(player, game_id, seed) for seed, player in enumerate(players)]
        for client, signs in zip(clients, (True, True, False), strict=True):
            await client.join(own_chain=True, signs=signs)
        await players[0].ask("StartGame", game_id=game_id)
        await asyncio.gather(*(client.play() for client in clients))

        events = await stored_events(server, game_id)
        signed = [event for event in events if event.signed is not None]
        moves = [event for event in events if isinstance(event.event, MOVES) and event.event.seat != 2]
        with_their_bid = [
            after
            for before, after in itertools.pairwise(events)
            if isinstance(after.event, DiceRerolled) and isinstance(before.event, BidPlaced) and before.signed
        ]
        assert signed == [move for move in moves if move not in with_their_bid]
        assert {type(event.event) for event in signed} >= {Rolled, BidPlaced}

    on_server(story)


def test_a_move_without_the_signature_or_with_another_is_refused_and_costs_nothing() -> None:
    async def story(server: Server) -> None:
        ann, _, game_id, game = await signing_table(server)
        good = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 2})
        other_key = signature(Ed25519PrivateKey.generate(), game, "PlaceBid", {"quantity": 1, "face": 2})
        other_move = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 3})
        before = await server.running.host.games.events(game_id)

        for wrong, reason in (
            (None, "SIGNATURE_MISSING"),
            (other_key, "SIGNATURE_WRONG"),
            (other_move, "SIGNATURE_WRONG"),
            ({**good, "after_version": game.version - 1}, "SIGNATURE_STALE"),
            ({**good, "after_version": game.version + 1}, "VERSION_AHEAD"),
            ({**good, "after_version": 0}, "FIELD_INVALID"),
            ({**good, "after_version": -1}, "FIELD_INVALID"),
            ({**good, "signature": b"short"}, "FIELD_INVALID"),
        ):
            with pytest.raises(Told) as told:
                await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=wrong)
            assert told.value.reason == reason
        assert await server.running.host.games.events(game_id) == before

        result = (await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=good)).result
        assert result.version == game.version + 1
        assert result.digest == (await ann.ask("GetGame", game_id=game_id)).game.digest != game.digest

    on_server(story)


def test_a_wrong_signature_is_told_the_exact_text_and_the_key_that_were_expected() -> None:
    async def story(server: Server) -> None:
        ann, _, game_id, game = await signing_table(server)
        other_move = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 3})
        with pytest.raises(Told) as told:
            await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=other_move)

        text, digest = told.value.metadata["text"], b64encode(game.digest).decode()
        assert text == f"liarsdice.move.v1\n{game_id}\n{game.version}\n{digest}\n0\nbid 1 2\n"
        assert told.value.metadata["signing_key"] == b64encode(PUBLIC).decode()
        assert text.replace("\n", r"\n") in told.value.message
        signed = {"after_version": game.version, "signature": KEY.sign(text.encode())}
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=signed)

    on_server(story)


def test_a_signed_move_after_the_end_is_told_that_the_game_is_over() -> None:
    async def story(server: Server) -> None:
        ann, bob, game_id, game = await signing_table(server)
        signed = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 2})
        await bob.ask("Forfeit", game_id=game_id)
        for given in (signed, None):
            with pytest.raises(Told, match="FAILED_PRECONDITION GAME_OVER"):
                await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=given)

    on_server(story)


def test_a_signed_forfeit_that_lifts_the_cups_proves_itself() -> None:
    """The cups are lifted first, and the signature stands where the move is."""

    async def story(server: Server) -> None:
        ann, bob, game_id, game = await signing_table(server)
        await ann.ask("Forfeit", game_id=game_id, signature=signature(KEY, game, "Forfeit", {}))

        signed = [event.event for event in await stored_events(server, game_id) if event.signed is not None]
        assert [type(event) for event in signed] == [Rolled, PlayerForfeited]
        audit = await bob.ask("GetAudit", game_id=game_id)
        assert not audit.HasField("failure")
        assert audit.report.players[0].signs

    on_server(story)


def test_a_signed_move_that_was_kept_back_is_worth_nothing_once_the_game_has_moved_on() -> None:
    async def story(server: Server) -> None:
        ann, bob, game_id, game = await signing_table(server)
        kept_back = signature(KEY, game, "PlaceBid", {"quantity": 3, "face": 2})
        fresh = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 2})
        await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=fresh)
        await bob.ask("PlaceBid", game_id=game_id, quantity=2, face=2)

        with pytest.raises(Told) as told:
            await ann.ask("PlaceBid", game_id=game_id, quantity=3, face=2, signature=kept_back)
        assert told.value.reason == "SIGNATURE_STALE"
        assert told.value.code.name == "ABORTED"
        game = (await ann.ask("GetGame", game_id=game_id)).game
        await ann.ask("Challenge", game_id=game_id, signature=signature(KEY, game, "Challenge", {}))
        signed = [event.event for event in await stored_events(server, game_id) if event.signed is not None]
        assert [type(event) for event in signed] == [Rolled, BidPlaced, BidChallenged]

    on_server(story)


def test_who_joined_without_a_key_sends_no_signature_and_who_signs_keeps_the_chain() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        game_id = await server.table([ann], "single-hand")
        for wrong, reason in (
            ({"signing_key": PUBLIC}, "SIGNING_NEEDS_CHAIN"),
            ({"signing_key": b"short", "anchor": b"a" * 32}, "SIGNING_KEY_INVALID"),
            ({"signing_key": b"\xff" * 32, "anchor": b"a" * 32}, "SIGNING_KEY_INVALID"),
            ({"signing_key": bytes(32), "anchor": b"a" * 32}, "SIGNING_KEY_INVALID"),
        ):
            with pytest.raises(Told) as told:
                await bob.ask("JoinGame", game_id=game_id, **wrong)
            assert told.value.reason == reason
        await bob.ask("JoinGame", game_id=game_id)
        await ann.ask("StartGame", game_id=game_id, opener=0)
        game = await ann.sees(game_id, lambda game: game.view.phase == game_pb2.PHASE_BIDDING)
        unasked = signature(KEY, game, "PlaceBid", {"quantity": 1, "face": 2})
        with pytest.raises(Told) as told:
            await ann.ask("PlaceBid", game_id=game_id, quantity=1, face=2, signature=unasked)
        assert told.value.reason == "SIGNATURE_UNEXPECTED"

    on_server(story)
