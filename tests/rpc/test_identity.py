"""The identity of callers: tokens of this server, and tokens that an operator's own issuer has signed."""

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from jwt.algorithms import OKPAlgorithm, RSAAlgorithm
from liarsdice.v1 import player_service_pb2 as wire

from domain.naming import is_id
from infra.failure import CommandFailed
from services.access.identity import TrustedIssuer, new_token, token_hash
from tests.rpc.servers import METHODS, Player, Server, Told, on_server

ISSUER, AUDIENCE = "https://accounts.example", "liarsdice"
ED_KEY = ed25519.Ed25519PrivateKey.generate()
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = ed25519.Ed25519PrivateKey.generate()
PLAYED = [
    *("CreateGame", "JoinGame", "LeaveGame", "AddBot", "StartGame", "CreateRematch", "ForkGame", "OpenDispute"),
    *("Roll", "PlaceBid", "ShowAndReroll", "Challenge", "Forfeit"),
]
"""What players do."""


@pytest.fixture
def issuer(tmp_path: Path) -> TrustedIssuer:
    keys = [
        OKPAlgorithm.to_jwk(ED_KEY.public_key(), as_dict=True) | {"kid": "ed", "alg": "EdDSA"},
        RSAAlgorithm.to_jwk(RSA_KEY.public_key(), as_dict=True) | {"kid": "rsa", "alg": "RS256"},
    ]
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": keys}))
    return TrustedIssuer(path, ISSUER, AUDIENCE)


def claims(**changed: Any) -> dict[str, Any]:
    usual = {"sub": "ann", "name": "Ann", "iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 60}
    return {name: value for name, value in (usual | changed).items() if value is not None}


def signed(changed: dict[str, Any] | None = None, key: Any = ED_KEY, alg: str = "EdDSA", kid: Any = "ed") -> str:
    return jwt.encode(claims(**(changed or {})), key, alg, headers={"kid": kid} if kid else None)


@pytest.mark.parametrize(("key", "alg", "kid"), [(ED_KEY, "EdDSA", "ed"), (RSA_KEY, "RS256", "rsa")])
def test_a_token_of_the_trusted_issuer_tells_who_calls(issuer: TrustedIssuer, key: Any, alg: str, kid: str) -> None:
    async def story(server: Server) -> None:
        token = signed({"scope": "player admin other"}, key, alg, kid)
        told = (await Player(server.channel, token).ask("GetPlayer")).player

        assert (told.player_id, told.name) == ("x.ann", "Ann")
        assert list(told.scopes) == [wire.SCOPE_PLAYER, wire.SCOPE_ADMIN]

    on_server(story, issuer=issuer)


@pytest.mark.parametrize("scope", ["auditor", "admin auditor", "root", ""])
def test_without_the_scope_of_a_player_one_looks_at_games_and_plays_none(issuer: TrustedIssuer, scope: str) -> None:
    """No scope holds another, and one that the server does not know is worth nothing."""

    async def story(server: Server) -> None:
        ann, eve = await server.player(), Player(server.channel, signed({"scope": scope}))
        game_id = await server.table([ann])
        both = eve.play()

        told = (await eve.ask("GetPlayer")).player.scopes
        assert {wire.Scope.Name(one).removeprefix("SCOPE_").lower() for one in told} == set(scope.split()) - {"root"}
        for method in PLAYED:
            with pytest.raises(Told, match="PERMISSION_DENIED SCOPE_MISSING") as caught:
                await eve.ask(method)
            assert caught.value.metadata == {"scope": "player"}
        await both.send(challenge={"game_id": game_id, "request_id": "c"})
        assert (await both.next("refused")).reason == "SCOPE_MISSING"
        await both.send(watch={"game_id": game_id})
        assert (await both.next("snapshot")).version == 2
        assert (await eve.watch(game_id).next("snapshot")).version == 2
        assert (await eve.ask("GetGame", game_id=game_id)).game.version == 2
        assert (await eve.ask("ListGames", page_size=1)).games

    on_server(story, issuer=issuer)


def test_whose_issuer_says_nothing_of_scopes_is_a_player(issuer: TrustedIssuer) -> None:
    async def story(server: Server) -> None:
        ann = Player(server.channel, signed())
        await ann.ask("CreateGame", rulebook="pirates")
        assert list((await ann.ask("GetPlayer")).player.scopes) == [wire.SCOPE_PLAYER]

    on_server(story, issuer=issuer)


def unsigned() -> str:
    return jwt.encode(claims(), "", "none", headers={"kid": "ed"})


def with_the_public_key_as_a_secret() -> str:
    header = jwt.utils.base64url_encode(json.dumps({"alg": "HS256", "kid": "ed"}).encode())
    body = jwt.utils.base64url_encode(json.dumps(claims()).encode())
    signature = jwt.get_algorithm_by_name("HS256").sign(header + b"." + body, ED_KEY.public_key().public_bytes_raw())
    return b".".join((header, body, jwt.utils.base64url_encode(signature))).decode()


FORGED: dict[str, Callable[[], str]] = {
    "wrong issuer": lambda: signed({"iss": "https://elsewhere.example"}),
    "wrong audience": lambda: signed({"aud": "chess"}),
    "expired": lambda: signed({"exp": int(time.time()) - 1}),
    "not yet valid": lambda: signed({"nbf": int(time.time()) + 60}),
    "without an end": lambda: signed({"exp": None}),
    "without a subject": lambda: signed({"sub": None}),
    "without an issuer": lambda: signed({"iss": None}),
    "without an audience": lambda: signed({"aud": None}),
    "signed with another key": lambda: signed(key=OTHER_KEY),
    "an unknown key": lambda: signed(kid="other"),
    "no key named": lambda: signed(kid=None),
    "another algorithm's key": lambda: signed(key=RSA_KEY, alg="RS256", kid="ed"),
    "unsigned": unsigned,
    "signed with the public key": with_the_public_key_as_a_secret,
    "changed": lambda: signed()[:-4] + "AAAA",
    "no token at all": lambda: "a.b.c",
    "nested deeply": lambda: urlsafe_b64encode(b"[" * 3_000).decode() + ".e30.AAAA",
    "empty": lambda: " ",
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_any_other_token_is_refused(issuer: TrustedIssuer, forged: Callable[[], str]) -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="UNAUTHENTICATED TOKEN_"):
            await Player(server.channel, forged()).ask("GetPlayer")

    on_server(story, issuer=issuer)


def test_a_subject_or_a_name_that_can_not_be_used_is_replaced(issuer: TrustedIssuer) -> None:
    async def story(server: Server) -> None:
        for name in ("x.somebody-else", "p0123456789abcdef", "bot.cautious", "The server"):
            like_another = Player(server.channel, signed({"sub": "ann", "name": name}))
            assert (await like_another.ask("GetPlayer")).player.name == "x.ann"
        told = (
            await Player(server.channel, signed({"sub": "auth0|🎲" * 30, "name": "\u202eAnn"})).ask("GetPlayer")
        ).player
        assert told.player_id.startswith("xh.")
        assert told.name == told.player_id[:40]

    on_server(story, issuer=issuer)


def test_keys_that_can_not_be_read_are_told_in_a_sentence(tmp_path: Path) -> None:
    for text in ("", "{}", '{"keys": []}', "[]", "null"):
        (tmp_path / "keys").write_text(text)
        with pytest.raises(CommandFailed, match="can't be used"):
            TrustedIssuer(tmp_path / "keys", ISSUER, AUDIENCE)


def test_a_rotated_token_takes_the_place_of_the_old_one() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        before = (await ann.ask("GetPlayer")).player
        fresh = Player(server.channel, (await ann.ask("RotateToken")).token)

        assert (await fresh.ask("GetPlayer")).player == before
        with pytest.raises(Told, match="TOKEN_INVALID"):
            await ann.ask("GetPlayer")

    on_server(story)


@pytest.mark.parametrize(("everything", "valid"), [(False, [False, True]), (True, [False, False])])
def test_a_revoked_token_is_worth_nothing(everything: bool, valid: list[bool]) -> None:  # noqa: FBT001 - the example
    async def story(server: Server) -> None:
        ann = await server.player()
        token = new_token()
        known = server.running.identities._players  # noqa: SLF001 - a second token comes from nowhere else
        await known.add(ann.player_id, "Ann", token_hash(token), ("player",))
        other = Player(server.channel, token)
        await other.ask("GetPlayer")
        await ann.ask("RevokeToken", all=everything)

        assert [await is_known(player) for player in (ann, other)] == valid

    on_server(story)


@pytest.mark.parametrize(
    ("method", "fields"), [("RotateToken", {}), ("RevokeToken", {}), ("RevokeToken", {"all": True})]
)
def test_a_token_of_the_trusted_issuer_is_neither_exchanged_nor_revoked_and_its_holder_is_told_so(
    issuer: TrustedIssuer, method: str, fields: dict[str, Any]
) -> None:
    async def story(server: Server) -> None:
        ann = Player(server.channel, signed())
        with pytest.raises(Told, match="FAILED_PRECONDITION TOKEN_OF_ISSUER") as caught:
            await ann.ask(method, **fields)

        assert "exp" in caught.value.message
        assert await is_known(ann)

    on_server(story, issuer=issuer)


async def is_known(player: Player) -> bool:
    try:
        await player.ask("GetPlayer")
    except Told as told:
        assert told.code is grpc.StatusCode.UNAUTHENTICATED  # noqa: PT017 - the only other answer
        return False
    return True


@pytest.mark.parametrize("name", ["", " Ann", "Ann ", "A" * 41, "A\nB", "A\0B", "\u202eAnn", "\x7f"])
def test_a_name_that_can_not_be_shown_is_refused(name: str) -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match="INVALID_ARGUMENT NAME_INVALID"):
            await server.stranger.ask("Register", name=name)

    on_server(story)


@pytest.mark.parametrize("name", ["\u3164", "A\u2800nn", "\u0410nn", "server", "Bot Ada", "b0t"])
def test_a_name_that_could_deceive_is_refused_and_told_why(name: str) -> None:
    async def story(server: Server) -> None:
        with pytest.raises(Told, match=r"INVALID_ARGUMENT NAME_MISLEADING: .* because it ") as told:
            await server.stranger.ask("Register", name=name)
        assert told.value.field == "name"

    on_server(story)


def test_a_stored_name_that_could_deceive_is_shown_as_the_id_and_keeps_nobody_from_playing() -> None:
    """It was given before there was such a rule."""

    async def story(server: Server) -> None:
        token = "ldt_given-long-ago"  # noqa: S105 - made up here
        players = server.running.identities._players  # noqa: SLF001 - as an older version stored it
        await players.add("p-old", "Server", token_hash(token), ("player",))
        old = Player(server.channel, token, "p-old")

        assert (await old.ask("GetPlayer")).player.name == "p-old"
        game_id = await server.table([old])
        assert [seat.name for seat in (await old.ask("GetGame", game_id=game_id)).game.view.seats] == ["p-old"]

    on_server(story)


@pytest.mark.parametrize("name", ["🏴‍☠️ Ann", "Ännchen", "李", "O'Neil; DROP TABLE players"])
def test_a_name_comes_back_as_it_was_given(name: str) -> None:
    async def story(server: Server) -> None:
        ann = await server.player(name)
        assert (await ann.ask("GetPlayer")).player.name == name

    on_server(story)


def test_without_a_token_players_register_and_the_books_the_past_statistics_and_the_log_can_be_read() -> None:
    """As the comment on PlayerService has it."""
    without = {"Register", "ListRulebooks", "GetCheckpoint", "GetConsistencyProof"}
    without |= {name for name, (path, _) in METHODS.items() if "ReplayService" in path or "StatisticsService" in path}
    without -= {"GetPassedBids"}  # For auditors alone.
    asked = [name for name, (_, method) in METHODS.items() if not (method.client_streaming or method.server_streaming)]

    async def story(server: Server) -> None:
        missing = set()
        for name in asked:
            try:
                await server.stranger.ask(name)
            except Told as told:
                if told.reason == "TOKEN_MISSING":
                    missing.add(name)

        assert missing == set(asked) - without

    on_server(story)


def test_an_old_token_keeps_nobody_from_what_is_the_same_for_all_and_opens_nothing_else() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        await ann.ask("RevokeToken")
        for token in (ann.token, "ldt_never-given", "nonsense"):
            old = Player(server.channel, token)
            assert (await old.ask("Register", name="Ann")).token
            assert (await old.ask("ListRulebooks")).rulebooks
            await old.ask("GetCheckpoint")
            await old.ask("GetConsistencyProof")
            for method in ("ListGames", "ListPastGames", "GetLeaderboard"):
                with pytest.raises(Told, match="UNAUTHENTICATED TOKEN_INVALID"):
                    await old.ask(method)

    on_server(story)


def test_whoever_uses_another_scheme_is_told_that_a_bearer_token_is_needed() -> None:
    async def story(server: Server) -> None:
        call: Any = server.channel.unary_unary(METHODS["ListGames"][0])
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"", metadata=(("authorization", "Basic QW5uOnNlY3JldA=="),))
        assert "needs a Bearer token" in (caught.value.details() or "")

    on_server(story)


@pytest.mark.parametrize("long", ["somebody with a long subject " * 3, "auth0|5f7c8ec7c33c6c004bbafe82"])
def test_no_other_subject_leads_to_the_id_of_a_subject_that_is_hashed(issuer: TrustedIssuer, long: str) -> None:
    def player_id(subject: str) -> str:
        return issuer.caller(signed({"sub": subject}))[0].player_id

    victim = player_id(long)
    hashed = sha256(long.encode()).hexdigest()
    tried = {hashed, hashed[:32], victim, *(victim[start:] for start in range(1, len(victim)))}

    assert is_id(victim)
    assert victim not in {player_id(subject) for subject in tried}
    assert player_id(long) == victim
