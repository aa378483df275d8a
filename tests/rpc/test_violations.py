"""A refusal names the wrong field by its path in the request of that call."""

from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass

from domain.refusals import code_of
from services.reasons.kinds import Kind
from services.reasons.table import FIELDS, KINDS
from services.rpc.request_shape import path_of
from tests.rpc.servers import METHODS, Player, Server, Told, on_server
from tests.rpc.test_signing import signing_table

OWN_NAMES = {"FIELD_INVALID", "VERSION_AHEAD", "OPTION_NOT_IN_RULEBOOK", "OPTION_OUT_OF_RANGE"}
"""What names a field itself."""
NO_FIELD = {"MALFORMED", "ENCODING_UNKNOWN"}
"""What no field can be blamed for."""

WRONG: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("Register", {"name": " "}, "NAME_INVALID", ["name"]),
    ("Register", {"name": "Server"}, "NAME_MISLEADING", ["name"]),
    ("CreateGame", {"rulebook": "go"}, "NO_SUCH_RULEBOOK", ["rulebook"]),
    ("ListGames", {"rulebook": "go"}, "NO_SUCH_RULEBOOK", ["rulebook"]),
    ("ListPastGames", {"filter": {"rulebook": "go"}}, "NO_SUCH_RULEBOOK", ["filter.rulebook"]),
    ("GetLeaderboard", {"span": {"rulebook": "go"}}, "NO_SUCH_RULEBOOK", ["span.rulebook"]),
    ("CreateClub", {"name": "Evening", "time_zone": "Nowhere/Else"}, "TIME_ZONE_UNKNOWN", ["time_zone"]),
    ("CreateGame", {"rulebook": "pirates", "seats_max": -5}, "SEATS_OUT_OF_RANGE", ["seats_max"]),
    ("CreateGame", {"rulebook": "pirates", "options": {"opener": 0}}, "OPENER_NOT_CHOSEN", ["options.opener"]),
    ("CreateGame", {"rulebook": "pirates", "options": {"chips": True}}, "OPTION_NOT_IN_RULEBOOK", ["options.chips"]),
    ("CreateGame", {"rulebook": "pirates", "options": {"dice_each": 0}}, "OPTION_OUT_OF_RANGE", ["options.dice_each"]),
    (
        "CreateGame",
        {"rulebook": "pirates", "options": {"turn_seconds": -1}},
        "OPTION_OUT_OF_RANGE",
        ["options.turn_seconds"],
    ),
    (
        "ListPastGames",
        {"filter": {"since": {"seconds": 2}, "until": {"seconds": 2}}},
        "FIELD_INVALID",
        ["filter.until"],
    ),
    ("GetLeaderboard", {"span": {"since": {"seconds": 2}, "until": {"seconds": 1}}}, "FIELD_INVALID", ["span.until"]),
    ("CreateGame", {"rulebook": "pirates", "request_id": ""}, "FIELD_INVALID", ["request_id"]),
    ("GetConsistencyProof", {"old_size": 5, "new_size": 1}, "SIZES_NOT_IN_LOG", ["old_size", "new_size"]),
]
AT_A_TABLE: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("JoinGame", {"anchor": b"1"}, "ANCHOR_INVALID", ["anchor"]),
    ("JoinGame", {"anchor": b"1" * 32, "signing_key": b"1"}, "SIGNING_KEY_INVALID", ["signing_key"]),
    ("JoinGame", {"anchor": b"1" * 32, "signing_key": b"\xff" * 32}, "SIGNING_KEY_INVALID", ["signing_key"]),
    ("AddBot", {"strategy": "reckless"}, "NO_SUCH_STRATEGY", ["strategy"]),
    ("StartGame", {"opener": 0}, "OPENER_NOT_CHOSEN", ["opener"]),
]
IN_A_GAME: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("PlaceBid", {"quantity": 0, "face": 2}, "QUANTITY_OUT_OF_RANGE", ["quantity"]),
    ("PlaceBid", {"quantity": 1, "face": 9}, "FACE_OUT_OF_RANGE", ["face"]),
    ("PlaceBid", {"quantity": 1, "face": 2, "reroll": {"shown": [1] * 65}}, "FIELD_INVALID", ["reroll.shown"]),
    ("Roll", {"link": b"1" * 32}, "LINK_UNEXPECTED", ["link"]),
    ("ShowAndReroll", {"reroll": {"shown": [1], "link": b"1" * 32}}, "LINK_UNEXPECTED", ["reroll.link"]),
    ("Challenge", {"signature": {"signature": b"1" * 64}}, "FIELD_INVALID", ["signature.after_version"]),
    ("Challenge", {"signature": {"after_version": 1, "signature": b"1"}}, "FIELD_INVALID", ["signature.signature"]),
    ("Challenge", {"signature": {"after_version": 1, "signature": b"1" * 64}}, "SIGNATURE_UNEXPECTED", ["signature"]),
    ("Challenge", {"expected_version": 0}, "FIELD_INVALID", ["expected_version"]),
    ("Challenge", {"expected_version": 99}, "VERSION_AHEAD", ["expected_version"]),
    ("OpenDispute", {"round": 1, "reason": ""}, "REASON_INVALID", ["reason"]),
    ("AbandonGame", {"reason": ""}, "REASON_INVALID", ["reason"]),
    ("AnnotateDispute", {"round": 1, "text": ""}, "REASON_INVALID", ["text"]),
]
SIGNED: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("Challenge", {}, "SIGNATURE_MISSING", ["signature"]),
    ("Challenge", {"signature": {"signature": b"1" * 64}}, "SIGNATURE_WRONG", ["signature"]),
]
ELSEWHERE = {"MALFORMED", "ENCODING_UNKNOWN"}
"""Asked for by a test of its own, below."""
EARLIER = {"GAME_ID_INVALID", "PLAYER_ID_INVALID"}
"""What no request comes to, because the field is looked at before."""


async def wrong(player: Player, method: str, fields: dict[str, Any]) -> tuple[str, list[str]]:
    """The reason for which a request is refused, and the fields that are named."""
    with pytest.raises(Told, match="INVALID_ARGUMENT") as caught:
        await player.ask(method, **fields)
    return caught.value.reason, caught.value.fields


def test_a_wrong_field_is_named_as_the_request_has_it() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        root = await server.player("Root", ("player", "auditor", "admin"))
        for method, fields, reason, named in WRONG:
            assert await wrong(ann, method, fields) == (reason, named), method
        table = await server.table([ann, root], "pirates")
        for method, fields, reason, named in AT_A_TABLE:
            asker = bob if method == "JoinGame" else ann
            assert await wrong(asker, method, {"game_id": table, **fields}) == (reason, named), method
        game = await server.bidding([root, bob])
        for method, fields, reason, named in IN_A_GAME:
            assert await wrong(root, method, {"game_id": game, **fields}) == (reason, named), method

    on_server(story)


def test_a_wrong_signature_is_named_as_the_request_has_it() -> None:
    async def story(server: Server) -> None:
        ann, _, game_id, game = await signing_table(server)
        for method, fields, reason, named in SIGNED:
            if "signature" in fields:
                fields["signature"]["after_version"] = game.version
            assert await wrong(ann, method, {"game_id": game_id, **fields}) == (reason, named)

    on_server(story)


def test_a_wrong_field_is_named_at_the_end_of_a_stream_too() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])

        with pytest.raises(Told, match="INVALID_ARGUMENT VERSION_AHEAD") as ahead:
            await anext(ann.watch(game_id, after_version=3))
        with pytest.raises(Told, match="INVALID_ARGUMENT FIELD_INVALID") as opened:
            await anext(await ann.replay("not an id"))

        assert ahead.value.field == "after_version"
        assert opened.value.field == "open.game_id"

    on_server(story)


def test_a_huge_version_is_told_as_it_was_sent() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        game_id = await server.table([ann])
        huge = 2**63 - 1

        with pytest.raises(Told, match=f"INVALID_ARGUMENT VERSION_AHEAD.* after version {huge}") as command:
            await ann.ask("StartGame", game_id=game_id, expected_version=huge)
        with pytest.raises(Told, match=f"VERSION_AHEAD.* after version {huge}") as ahead:
            await anext(ann.watch(game_id, after_version=huge))

        named = {"version": "2", "after_version": str(huge)}
        assert command.value.metadata == {**named, "field": "expected_version"}
        assert ahead.value.metadata == {**named, "field": "after_version"}

    on_server(story)


def test_bytes_that_are_no_message_have_no_field_to_blame() -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told, match="INVALID_ARGUMENT MALFORMED") as caught:
            await ann.send("GetGame", b"\xff")
        assert caught.value.fields == []
        assert caught.value.metadata["what"] == "GetGameRequest"

    on_server(story)


@pytest.mark.parametrize(
    ("method", "text", "named"),
    [
        ("Register", "name", "name"),
        ("JoinGame", "invitation_code", "invitation_code"),
        ("CreateGame", "rulebook", "rulebook"),
        ("ListPastGames", "filter.rulebook", "filter.rulebook"),
        ("GetLeaderboard", "span.rulebook", "span.rulebook"),
    ],
)
def test_a_text_that_is_not_utf_8_is_named(method: str, text: str, named: str) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        kind = GetMessageClass(METHODS[method][1].input_type)
        *outer, last = text.split(".")
        fields: Any = {last: "ABCD"}
        for part in outer:
            fields = {part: fields}
        raw = kind(**fields).SerializeToString().replace(b"ABCD", b"A\xc3(D")

        with pytest.raises(Told, match=r"INVALID_ARGUMENT FIELD_INVALID: .* must be text in UTF-8") as caught:
            await ann.send(method, raw)
        assert caught.value.field == named

    on_server(story)


@pytest.mark.parametrize(
    ("method", "fields", "named"),
    [
        ("CreateGame", {"options": {"on_timeout": 77}}, "options.on_timeout"),
        ("CreateGame", {"options": {"raise_rule": -1}}, "options.raise_rule"),
        ("ListGames", {"phases": [1, 99]}, "phases"),
        ("ListPastGames", {"filter": {"result": 99}}, "filter.result"),
        ("GetLeaderboard", {"measure": 99}, "measure"),
        ("GetLeaderboard", {"span": {"played": 99}}, "span.played"),
    ],
)
def test_a_number_that_an_enum_does_not_have_is_told_without_what_is_inside(
    method: str, fields: dict[str, Any], named: str
) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told, match="INVALID_ARGUMENT FIELD_INVALID") as caught:
            await ann.ask(method, **fields)
        assert caught.value.field == named
        assert caught.value.message == f"The field {named} must name a value that this server knows."

    on_server(story)


def test_every_reason_that_blames_a_request_is_tried_here_and_knows_its_fields() -> None:
    kinds = {code_of(kind): kind for kind, told in KINDS.items() if told is Kind.SENSELESS}
    tried = {reason for _, _, reason, _ in (*WRONG, *AT_A_TABLE, *IN_A_GAME, *SIGNED)}
    requests = [GetMessageClass(method.input_type) for _, method in METHODS.values()]

    assert set(kinds) == tried | ELSEWHERE | EARLIER
    assert set(kinds) == {code_of(kind) for kind in FIELDS} | OWN_NAMES | NO_FIELD
    for names in FIELDS.values():
        assert all(any(path_of(name, request) for request in requests) for name in names)
