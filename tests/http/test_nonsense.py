"""Nonsense in requests: whatever is wrong is named, together with what is allowed, and what can't match is refused."""

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from domain.rulebooks import BOOKS
from services.http.allowed_values import IDS_PATTERN
from tests.http.readers import API, Site, on_site

BOOK_IDS = [book.id for book in BOOKS]
TIMES = ("since", "until")
AT_ONCE = 20


def wrong_values(parameter: dict[str, Any]) -> list[str]:
    """Values of every kind that a parameter may not have."""
    schema, name = parameter["schema"], parameter["name"]
    if "enum" in schema:
        return ["", "nonsense", "null", schema["enum"][0].upper(), f" {schema['enum'][0]}", ",".join(schema["enum"])]
    match schema["type"]:
        case "integer":
            return [
                "x",
                "1.5",
                "NaN",
                *(["null"] if parameter["in"] == "query" else []),
                str(schema["minimum"] - 1),
                str(schema["maximum"] + 1),
                "9" * 30,
            ]
        case "number":
            return ["x", "nan", "-inf", str(schema["minimum"] - 1), str(schema["maximum"] + 1)]
        case "boolean":
            return ["maybe", "2", "yes please"]
        case _:
            return wrong_texts(schema, name)


def wrong_texts(schema: dict[str, Any], name: str) -> list[str]:
    if schema.get("pattern") == IDS_PATTERN:
        return ["a b", "\0", "a", ",", "a,,b", ",".join("abcdefghijklmnopqrstu")]
    if "pattern" in schema:
        return ["a b", "\0", "a" * 65, "ü", "$"]
    if name in TIMES:
        return ["", "yesterday", "2026", "2026-13-01", "2026-01-01+02:00", "1767312000", "2026-01-01T25:00", "9" * 60]
    if name == "page_token":
        return ["x", ".", "WzEsICJhIl0=", "WzEsImEiXQ==.0000000000000000", "y" * 600]
    if name == "after":
        return ["x", ".", "WzEsICJhIl0=", "y" * 600]
    return ["a" * (schema["maxLength"] + 1), "\0"]


def what_is_allowed(parameter: dict[str, Any]) -> list[str]:
    """What the answer to a wrong value has to mention."""
    schema, name = parameter["schema"], parameter["name"]
    if "enum" in schema:
        return [str(one) for one in schema["enum"]]
    if schema["type"] in ("integer", "number"):
        return [f"from {schema['minimum']:g}" if schema["minimum"] < 1e6 else "from", "to"]
    if schema["type"] == "boolean":
        return ["true or false"]
    if "pattern" in schema:
        return ["2 to 20 ids"] if schema["pattern"] == IDS_PATTERN else ["1 to 64", "letters"]
    if name in TIMES:
        return ["ISO 8601, such as 2026-01-31", "milliseconds since 1970"]
    return {"page_token": ["token of the page before"], "after": ["from an earlier export"]}.get(name, [])


def request_of(path: str, operation: dict[str, Any], name: str, value: str) -> tuple[str, dict[str, str]]:
    """A request with one wrong value, in which all that has to be there is as it should be."""
    parameters = operation["parameters"]
    needed = {one["name"]: str(one["example"]) for one in parameters if one.get("required")}
    given = {**needed, name: value}
    places = {one["name"]: one["in"] for one in parameters}
    where = path.format(**{name: quote(text, safe="") for name, text in given.items() if places[name] == "path"})
    query = urlencode({name: text for name, text in given.items() if places[name] == "query"})
    headers = {name: text for name, text in given.items() if places[name] == "header"}
    return f"{where}?{query}" if query else where, headers


def test_every_wrong_value_of_every_parameter_is_named_together_with_what_is_allowed() -> None:
    async def story(site: Site) -> int:
        paths = (await site.get("/schema/openapi.json")).json()["paths"]
        cases = [
            (parameter, value, *request_of(path, methods["get"], parameter["name"], value))
            for path, methods in paths.items()
            for parameter in methods["get"].get("parameters", [])
            for value in wrong_values(parameter)
            if not (parameter["in"] == "header" and not value.isprintable())
            and not ("/clubs" in path and parameter["name"] == "after")  # Only a member is told about tokens.
        ]
        at_once = asyncio.Semaphore(AT_ONCE)

        async def check(parameter: dict[str, Any], value: str, where: str, headers: dict[str, str]) -> None:
            async with at_once:
                answer = await site.get(where, headers=headers)
            told = (where, answer.text)
            assert answer.status_code == 400, told
            problem = answer.json()
            assert [one["field"] for one in problem["violations"]] == [parameter["name"]], told
            sentence = problem["violations"][0]["problem"]
            assert "..." not in problem["detail"] + sentence, told
            assert sentence.rstrip(".") in problem["detail"], told
            for allowed in what_is_allowed(parameter):
                assert allowed in sentence, (allowed, *told)
            assert not value.isalpha() or parameter["name"] in problem["detail"] or "rulebook" in problem["detail"]

        await asyncio.gather(*(check(*case) for case in cases))
        return len(cases)

    assert on_site(story) > 300


def test_a_parameter_that_is_given_twice_is_refused() -> None:
    async def story(site: Site) -> None:
        paths = (await site.get("/schema/openapi.json")).json()["paths"]
        for path, methods in paths.items():
            for parameter in methods["get"].get("parameters", []):
                if parameter["in"] != "query":
                    continue
                where, _ = request_of(path, methods["get"], parameter["name"], str(parameter["example"]))
                answer = await site.get(f"{where}&{parameter['name']}={quote(str(parameter['example']))}")
                told = answer.json()
                assert (answer.status_code, told["reason"]) == (400, "FIELD_INVALID"), (where, told)
                assert told["violations"] == [
                    {"field": parameter["name"], "problem": "must be given once, and not 2 times"}
                ]

    on_site(story)


NEVER = [
    ("games?since=2026-01-02&until=2026-01-02", "until", "must be later than since"),
    ("games?since=2026-01-02&until=2026-01-01", "until", "must be later than since"),
    ("export?since=2026-01-02&until=2026-01-01", "until", "must be later than since"),
    ("leaderboards?since=1767312000001&until=1767312000001", "until", "must be later than since"),
    ("players/ann/statistics?since=2026-01-02T00:00:00.0001&until=2026-01-02T00:00:00.001", "until", "later"),
    ("players/ann/ratings?since=2026-01-02&until=2026-01-01", "until", "must be later than since"),
    ("head-to-head?player=ann&other=bob&since=2026-01-02&until=2026-01-01", "until", "must be later than since"),
    ("export?result=running", "result", "must be one of ended, abandoned"),
    ("export?result=gathering", "result", "must be one of ended, abandoned"),
    ("games/nothing/steps/1?seat=20", "seat", "must be a whole number from 0 to 19"),
    ("games/nothing/replay?seat=20", "seat", "must be a whole number from 0 to 19"),
    ("players/ann/decisions?action=challenge&bluff=true", "bluff", "is about bids"),
    ("players/ann/decisions?dice_left=1", "dice_left", "must be a whole number from 2 to 200"),
    ("players/ann/decisions?players_left=21", "players_left", "must be a whole number from 2 to 20"),
    ("leaderboards?after=10001", "after", "must be a whole number from 0 to 10000"),
    ("leaderboards?games_min=0", "games_min", "must be a whole number from 1 to 2147483647"),
    ("checkpoints/consistency?old_size=5&new_size=4", "old_size", "log"),
]


@pytest.mark.parametrize(("path", "field", "sentence"), NEVER)
def test_a_request_that_nothing_can_match_is_refused(path: str, field: str, sentence: str) -> None:
    problem = on_site(lambda site: site.refused(path))

    assert problem["status"] == 400
    assert problem["violations"][0]["field"] == field
    assert sentence in problem["detail"]


def test_a_missing_parameter_is_named_with_what_it_may_be() -> None:
    problem = on_site(lambda site: site.refused("checkpoints/consistency?old_size=1"))

    allowed = "is missing; it must be a whole number from 0 to 9007199254740992"
    assert problem["violations"] == [{"field": "new_size", "problem": allowed}]
    assert problem["detail"] == f"The field new_size {allowed}."
    assert problem["metadata"] == {"field": "new_size", "problem": allowed}


@pytest.mark.parametrize("asked", ["chess", "", "x" * 500])
def test_an_unknown_rulebook_is_answered_with_the_books_that_there_are(asked: str) -> None:
    problem = on_site(lambda site: site.refused(f"games?rulebook={asked}"))

    assert problem["reason"] == "NO_SUCH_RULEBOOK"
    assert ", ".join(BOOK_IDS) in problem["detail"]
    assert problem["metadata"]["rulebooks"] == ", ".join(BOOK_IDS)


def test_a_sentence_about_a_time_is_told_to_its_end() -> None:
    problem = on_site(lambda site: site.refused("games?since=yesterday"))

    assert problem["detail"].endswith("milliseconds since 1970.")
    assert problem["violations"][0]["problem"] in problem["detail"]


def test_times_are_read_in_every_usual_form() -> None:
    async def story(site: Site) -> None:
        for since in (
            "2026-01-31T18:00:00.123456789+01:00",
            "2026-01-31T18:00:00%2B01:00",
            "2026-01-31T18:00:00 01:00",
            "2026-01-31 18:00",
            "2026-01-31%2018:00:00.5-0330",
            "20260131T180000Z",
            "1769882400123",
        ):
            answer = await site.get(f"{API}/leaderboards?measure=wins&since={since}")
            assert answer.status_code == 200, (since, answer.text)
        read = await site.read("/leaderboards?measure=wins&since=2026-01-31T18:00:00.1234&until=2026-01-31T20:00 01:00")
        assert (read["since"], read["until"]) == (1_769_882_400_124, 1_769_886_000_000)

    on_site(story)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("games?page_size=1", "games?page_size=1&rulebook=single-hand"),
        ("games?page_size=1", "games?page_size=1&practice=with"),
        ("games?page_size=1", "games?page_size=1&until=2100-01-01"),
        ("players?page_size=1", "players?page_size=1&name=Pl"),
        ("players?page_size=1", "games?page_size=1"),
    ],
)
def test_a_page_token_is_worth_nothing_with_other_filters(first: str, other: str) -> None:
    async def story(site: Site) -> None:
        game_id, _ = await site.played()
        await site.listed(game_id)
        await site.listed(await site.server.table(await site.server.players(2)))
        token = (await site.read(f"/{first}"))["next_page_token"]
        assert (await site.get(f"{API}/{first}&page_token={token}")).status_code == 200
        assert (await site.get(f"{API}/{first.replace('=1', '=2')}&page_token={token}")).status_code == 200
        problem = await site.refused(f"{other}&page_token={token}")
        assert [one["field"] for one in problem["violations"]] == ["page_token"]
        assert "sent with the same filters" in problem["detail"]

    on_site(story)


def test_the_same_filter_in_other_words_is_the_same_list() -> None:
    async def story(site: Site) -> None:
        for _ in range(2):
            await site.listed(await site.server.table(await site.server.players(2)))
        token = (await site.read("/games?page_size=1&since=2026-01-02"))["next_page_token"]
        for same in ("since=1767312000000", "practice=without&since=20260102T000000Z"):
            assert (await site.get(f"{API}/games?{same}&page_token={token}")).status_code == 200

    on_site(story)


READ_ONLY = (
    "/",
    "/verify.html",
    "/schema",
    "/schema/openapi.json",
    "/health/live",
    "/metrics",
    f"{API}/games",
    f"{API}/export",
)


@pytest.mark.parametrize("path", READ_ONLY)
def test_head_and_options_work_wherever_get_does_and_other_methods_are_told_so(path: str) -> None:
    async def story(site: Site) -> tuple[httpx.Response, ...]:
        return tuple(
            [await site.client.request(method, path) for method in ("GET", "HEAD", "OPTIONS", "POST", "TRACE")]
        )

    get, head, options, *others = on_site(story)

    assert (get.status_code, head.status_code, options.status_code) == (200, 200, 204)
    assert head.content == options.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]
    assert "content-type" not in options.headers
    for answer in (options, *others):
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    for answer in others:
        assert (answer.status_code, answer.json()["reason"]) == (405, "METHOD_NOT_ALLOWED")
        assert answer.json()["detail"] == "This can only be read: use GET or HEAD."
