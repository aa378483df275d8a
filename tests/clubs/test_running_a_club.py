"""Founding, joining and running a club: who may, how often, and that nothing is done twice or lost."""

import asyncio

import pytest

from infra.postgres.connections import connect
from services.clubs import allowance
from services.projector.clubs import ClubsProjection
from services.projector.rebuild import Rebuild
from tests.clubs.evenings import ClubEvening, club_evening, listed
from tests.infra.postgres.databases import new_database
from tests.projector.models import Models, on_models
from tests.rpc.servers import Player, Server, Told, on_server, server
from tests.servers import SETTINGS


def test_a_request_that_comes_again_gets_the_same_answer_and_does_nothing_again() -> None:
    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        founded = [await ann.ask("CreateClub", request_id="f", name="Thursday") for _ in range(2)]
        assert founded[0] == founded[1]
        club = ClubEvening(server, [ann, bob], founded[0].club.club_id, founded[0].code)
        joined = [await club.ask(bob, "JoinClub", request_id="j", code=club.code) for _ in range(2)]
        assert joined[0] == joined[1]
        codes = [(await club.ask(ann, "ChangeClubCode", request_id="c")).code for _ in range(2)]
        assert codes[0] == codes[1] != club.code
        together = [club.ask(ann, "StartSeason", request_id="s", name="Two") for _ in range(3)]
        assert {len(answer.club.seasons) for answer in await asyncio.gather(*together)} == {2}
        assert await club.refusal(ann, "StartSeason", request_id="s", name="Three") == "REQUEST_ID_REUSED"
        with pytest.raises(Told, match="REQUEST_ID_REUSED"):
            await ann.ask("CreateClub", request_id="f", name="Friday")
        # After the end of the membership an old request shows nothing of the club any more.
        await club.ask(bob, "LeaveClub", request_id="l")
        await club.ask(bob, "LeaveClub", request_id="l")
        assert await club.refusal(bob, "JoinClub", request_id="j", code=club.code) == "CLUB_CODE_WRONG"

    on_server(story)


def test_the_organiser_removes_members_who_come_back_only_with_a_later_code() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        assert await club.refusal(bob, "RemoveMember", player_id=cid.player_id) == "NOT_THE_ORGANISER"
        await club.ask(ann, "RemoveMember", player_id=cid.player_id)
        assert await club.refusal(ann, "RemoveMember", player_id=cid.player_id) == "NO_SUCH_MEMBER"
        assert await club.refusal(cid, "GetClub") == "NO_SUCH_CLUB"
        assert await club.refusal(cid, "JoinClub", code=club.code) == "CLUB_CODE_WRONG"
        later = (await club.ask(ann, "ChangeClubCode")).code
        assert await club.refusal(cid, "JoinClub", code=club.code) == "CLUB_CODE_WRONG"
        members = (await club.ask(cid, "JoinClub", code=later)).club.members
        assert [one.name for one in members] == ["Ann", "Bob", "Cid"]
        assert await club.refusal(cid, "JoinClub", code=later) == "ALREADY_MEMBER"

    on_server(story)


def test_the_organiser_hands_the_club_over_or_leaves_last() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob")
        ann, bob = club.members
        assert (await club.ask(ann, "GetClub")).code == club.code
        assert (await club.ask(bob, "GetClub")).code == ""
        assert await club.refusal(ann, "LeaveClub") == "ORGANISER_NEEDED"
        assert await club.refusal(ann, "RemoveMember", player_id=ann.player_id) == "ORGANISER_NEEDED"
        assert await club.refusal(ann, "HandOverClub", player_id="nobody") == "NO_SUCH_MEMBER"
        await club.ask(ann, "HandOverClub", player_id=bob.player_id)
        assert await club.refusal(ann, "EndSeason") == "NOT_THE_ORGANISER"
        await club.ask(ann, "LeaveClub")
        await club.ask(bob, "EndSeason")
        assert await club.refusal(bob, "EndSeason") == "NO_SEASON_RUNNING"
        await club.ask(bob, "LeaveClub")
        # Nobody is left who could say whom this club wants.
        assert await club.refusal(ann, "JoinClub", code=club.code) == "CLUB_CODE_WRONG"

    on_server(story)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": ""}, "NAME_INVALID"),
        ({"name": "Server"}, "NAME_MISLEADING"),
        ({"name": "Thu\u0455day"}, "NAME_MISLEADING"),
        ({"name": "Thursday", "season_name": " "}, "NAME_INVALID"),
        ({"name": "Thursday", "time_zone": "Nowhere/Atlantis"}, "TIME_ZONE_UNKNOWN"),
        ({"name": "Thursday", "time_zone": "../../etc/passwd"}, "TIME_ZONE_UNKNOWN"),
    ],
)
def test_a_club_with_a_name_or_a_zone_that_nobody_can_have_is_not_founded(fields: dict[str, str], reason: str) -> None:
    async def story(server: Server) -> None:
        ann = await server.player()
        with pytest.raises(Told) as told:
            await ann.ask("CreateClub", **fields)
        assert told.value.reason == reason

    on_server(story)


def test_nobody_organises_more_clubs_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "ORGANISED_MAX", 2)
    monkeypatch.setattr(allowance, "JOINED_MAX", 3)

    async def story(server: Server) -> None:
        ann, bob = await server.players(2)
        clubs = [await ann.ask("CreateClub", name="Thursday") for _ in range(2)]
        with pytest.raises(Told, match="TOO_MANY_CLUBS"):
            await ann.ask("CreateClub", name="Thursday")
        others = [await bob.ask("CreateClub", name="Friday") for _ in range(2)]
        await ann.ask("JoinClub", club_id=others[0].club.club_id, code=others[0].code)
        with pytest.raises(Told, match="TOO_MANY_CLUBS"):
            await ann.ask("JoinClub", club_id=others[1].club.club_id, code=others[1].code)
        await ann.ask("LeaveClub", club_id=clubs[0].club.club_id)
        await listed(server, clubs[0].club.club_id, 0)
        await ann.ask("JoinClub", club_id=others[1].club.club_id, code=others[1].code)

    on_server(story, own=True)


def test_who_guesses_codes_is_soon_told_to_wait() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann")
        eve = await server.player("Eve")
        reasons = [await club.refusal(eve, "JoinClub", code=f"guess{number}") for number in range(12)]
        assert reasons[:10] == ["CLUB_CODE_WRONG"] * 10
        assert set(reasons[10:]) == {"TOO_FAST"}
        # Not even the right code helps now.
        assert await club.refusal(eve, "JoinClub", code=club.code) == "TOO_FAST"

    on_server(story, own=True)


def test_a_restart_loses_nothing_and_no_code_is_in_the_database() -> None:
    url = new_database(lanes=2)

    async def before() -> tuple[str, str, list[tuple[str, str]]]:
        async with server(url, SETTINGS) as running:
            club = await club_evening(running, "Ann", "Bob")
            await club.play(*club.members)
            later = (await club.ask(club.organiser, "ChangeClubCode")).code
            return club.club_id, later, [(one.token, one.player_id) for one in club.members]

    async def after(club_id: str, code: str, known: list[tuple[str, str]]) -> None:
        async with server(url, SETTINGS) as running:
            members = [Player(running.channel, *one) for one in known]
            club = ClubEvening(running, members, club_id, code)
            assert await club.table(members[1]) == {"Ann": (1, 1, 1, 2, 2), "Bob": (2, 1, 0, 0, 2)}
            assert (await club.ask(members[0], "GetClub")).code == code
            newcomer = await running.player("Cid")
            assert len((await club.ask(newcomer, "JoinClub", code=code)).club.members) == 3

    async def everything_stored() -> bytes:
        connection = await connect(url)
        try:
            rows = []
            for lane in (0, 1):
                rows += await connection.fetch(f"SELECT state FROM lane_{lane}.stored_events")  # noqa: S608 - a number
            return b"".join(row["state"] for row in rows)
        finally:
            await connection.close()

    club_id, code, known = asyncio.run(before())
    asyncio.run(after(club_id, code, known))
    stored = asyncio.run(everything_stored())
    assert b"Thursday" in stored
    assert code.encode() not in stored


def test_a_model_of_clubs_that_is_built_anew_is_the_one_that_grew_with_the_events() -> None:
    url = new_database(lanes=2)

    async def live() -> None:
        async with server(url, SETTINGS) as running:
            club = await club_evening(running, "Ann", "Bob", "Cid")
            await club.ask(club.members[1], "LeaveClub")
            await club.ask(club.members[1], "JoinClub", code=club.code)
            await club.ask(club.organiser, "HandOverClub", player_id=club.members[1].player_id)
            await club.ask(club.organiser, "LeaveClub")
            await club_evening(running, "Dora")
            await listed(running, club.club_id, 2)

    async def rebuilt(models: Models) -> None:
        await models.caught_up()
        grown = await models.rows(await models.live("clubs"))
        assert len(grown["members"]) == 5
        generation = await Rebuild(url, ClubsProjection(), 2).run(lambda _: None)
        assert generation == await models.live("clubs")
        assert generation.number == 2
        assert await models.rows(generation) == grown

    asyncio.run(live())
    on_models(url, rebuilt)
