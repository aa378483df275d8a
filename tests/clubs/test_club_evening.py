"""A club evening over real channels: private games of members count in the club, for its members and for nobody else."""

import asyncio
from typing import Any

import pytest

from domain.history.record import decode_record
from tests.clubs.evenings import club_evening, listed
from tests.http.readers import API, Site, on_site
from tests.rpc.servers import Player, Server, Told, on_server


def test_private_games_of_members_make_the_table_the_attendance_and_the_export() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", "Cid", "Dora")
        ann, bob, cid, dora = club.members
        first = await club.play(ann, bob, cid)
        second = await club.play(bob, ann, private=False)
        expected = {"Ann": (1, 2, 1, 4, 6), "Bob": (1, 2, 1, 4, 6), "Cid": (3, 1, 0, 0, 4), "Dora": (3, 0, 0, 0, 0)}
        for member in club.members:
            assert await club.table(member) == expected
        answer = await club.ask(dora, "GetAttendance")
        (evening,) = answer.evenings
        assert (evening.games, set(evening.player_ids)) == (2, {ann.player_id, bob.player_id, cid.player_id})
        assert [(one.name, one.evenings, one.games) for one in answer.attendees] == [
            ("Ann", 1, 2),
            ("Bob", 1, 2),
            ("Cid", 1, 1),
            ("Dora", 0, 0),
        ]
        exported = await club.exported(dora)
        assert [decode_record(line).game_id for line in exported.splitlines()] == [first, second]
        assert [one.club_id for one in (await cid.ask("ListClubs")).clubs] == [club.club_id]

    on_server(story)


def test_a_stranger_can_not_tell_a_club_from_one_that_does_not_exist() -> None:
    """As the threat model has it: neither the club, its members and its games nor whether there is such a club."""

    async def story(site: Site) -> None:
        server = site.server
        club = await club_evening(server, "Ann", "Bob")
        ann, bob = club.members
        game_id = await club.play(ann, bob)
        left = await server.player("Gone")
        await club.ask(left, "JoinClub", code=club.code)
        await club.ask(left, "LeaveClub")
        eve = await server.player("Eve")
        judge = await server.player("Judge", scopes=("player", "auditor", "admin"))
        for stranger in (eve, judge, left):
            heard = len(stranger.heard)
            for method in ("GetClub", "GetSeasonTable", "GetAttendance", "StartSeason", "ChangeClubCode", "LeaveClub"):
                fields = {"name": "Mine"} if method == "StartSeason" else {}
                refused = [await told(stranger.ask(method, club_id=one, **fields)) for one in (club.club_id, "nowhere")]
                assert refused[0] == refused[1].replace("nowhere", club.club_id)
                assert "NO_SUCH_CLUB" in refused[0]
            refused = [
                await told(stranger.ask("JoinClub", club_id=one, code="wrong")) for one in (club.club_id, "nowhere")
            ]
            assert refused[0] == refused[1].replace("nowhere", club.club_id)
            with pytest.raises(Told, match="NO_SUCH_CLUB"):
                await anext(stranger.export("ExportClubGames", club_id=club.club_id))
            for path in ("", "/table", "/attendance", "/games"):
                problem = await site.refused(f"clubs/{club.club_id}{path}", stranger)
                assert (problem["status"], problem["reason"]) == (404, "NO_SUCH_CLUB")
            assert not (await stranger.ask("ListClubs")).clubs
            told_bytes = b"".join(one.raw for one in stranger.heard[heard:])
            for secret in (game_id, ann.player_id, club.code, "Thursday"):
                assert secret.encode() not in told_bytes
        assert (await site.refused(f"clubs/{club.club_id}"))["reason"] == "TOKEN_MISSING"
        assert game_id not in (await site.get(f"{API}/export", eve)).text

    on_site(story)


def test_a_member_reads_over_http_what_there_is_over_grpc() -> None:
    async def story(site: Site) -> None:
        club = await club_evening(site.server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        game_id = await club.play(ann, bob)
        path = f"/clubs/{club.club_id}"
        assert [one["club_id"] for one in (await site.read("/clubs", cid))["clubs"]] == [club.club_id]
        shown = await site.read(path, cid)
        assert [one["name"] for one in shown["members"]] == ["Ann", "Bob", "Cid"]
        assert "code" not in shown
        table = await site.read(f"{path}/table", cid)
        assert [(one["name"], one["points"]) for one in table["standings"]] == [("Ann", 2), ("Bob", 0), ("Cid", 0)]
        assert table["season"]["name"] == "Season 1"
        assert len((await site.read(f"{path}/attendance?season=0", cid))["evenings"]) == 1
        for form in ("ndjson", "csv", "notation"):
            answer = await site.get(f"{API}{path}/games?format={form}", cid)
            assert game_id in answer.text
            assert answer.headers["cache-control"] == "no-store"
        assert (await site.refused(f"clubs/{club.club_id}/table?season=7", cid))["reason"] == "NO_SUCH_SEASON"

    on_site(story)


def test_a_later_export_of_a_club_has_every_new_game_once_also_one_that_is_shown_late() -> None:
    async def story(site: Site) -> None:
        server = site.server
        club = await club_evening(server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        now = server.running.host.now
        late = await club.play(ann, bob, private=False, spectator_delay_seconds=600)
        first = await club.play(bob, cid)
        path, tokens = f"{API}/clubs/{club.club_id}/games", dict[str, str]()

        async def new(member: Player) -> list[str]:
            """The ids of the games that are new, which both protocols agree on."""
            answer = await site.get(path, member, params={"after": tokens.get(member.player_id, "")})
            stream = member.export("ExportClubGames", club_id=club.club_id, after=tokens.get(member.player_id, ""))
            records = [record for part in [one async for one in stream] for record in part.records]
            assert answer.content.splitlines() == records
            tokens[member.player_id] = answer.headers["Resume-Token"]
            return [decode_record(record).game_id for record in records]

        assert (await new(ann), await new(cid)) == ([first], [first])
        second = await club.play(cid, ann)
        assert (await new(ann), await new(ann), await new(cid)) == ([second], [], [second])
        server.running.host.now = lambda: now() + 600_000
        assert (await new(ann), await new(ann), await new(cid)) == ([late], [], [late])
        token = tokens[ann.player_id]
        for other, season in ((ann, 0), (cid, 1)):
            refused = await site.refused(f"{path}?season={season}&after={token}", other)
            assert refused["reason"] == "FIELD_INVALID"

    on_site(story, own=True)


def test_a_private_game_of_a_club_stays_private_everywhere_else() -> None:
    async def story(site: Site) -> None:
        club = await club_evening(site.server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        game_id = await club.play(ann, bob)
        assert game_id.encode() in await club.exported(cid)
        for part in ("", "/record", "/steps", "/rounds", "/audit"):
            assert (await site.refused(f"games/{game_id}{part}", cid))["reason"] == "GAME_PRIVATE"
        with pytest.raises(Told, match="GAME_PRIVATE"):
            await cid.ask("GetRecord", game_id=game_id)

    on_site(story)


def test_a_game_counts_only_if_all_people_at_the_table_were_members_when_it_ended() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        eve = await server.player("Eve")
        await club.play(ann, bob, eve)  # A guest plays.
        await club.play(ann, eve)
        await club.play(ann, bob, bots=1)  # A bot plays, and this club does not count bots.
        assert (await club.ask(ann, "GetSeasonTable")).games == 0
        await club.play(cid, ann)
        await club.ask(cid, "LeaveClub")
        await club.play(cid, ann)  # Cid was a member before.
        await club.ask(eve, "JoinClub", code=club.code)
        await listed(server, club.club_id, 3)
        assert (await club.ask(ann, "GetSeasonTable")).games == 1  # What Eve played before she joined does not count.
        await club.play(eve, bob)
        table = await club.table(ann)
        assert table == {
            "Cid": (1, 1, 1, 2, 2),
            "Eve": (1, 1, 1, 2, 2),
            "Ann": (3, 1, 0, 0, 2),
            "Bob": (3, 1, 0, 0, 2),
        }
        members = {one.name: one.is_member for one in (await club.ask(ann, "GetSeasonTable")).standings}
        assert members == {"Cid": False, "Eve": True, "Ann": True, "Bob": True}

    on_server(story)


def test_a_club_may_count_games_with_bots_which_get_no_row() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", counts_bots=True)
        ann, bob = club.members
        await club.play(ann, bob, bots=1)  # Bob gives up first, then Ann, and the bot wins.
        assert await club.table(bob) == {"Ann": (1, 1, 0, 2, 4), "Bob": (2, 1, 0, 0, 4)}
        lonely = await server.table([ann], private=True)
        await ann.ask("AddBot", game_id=lonely)
        await ann.ask("StartGame", game_id=lonely)
        await ann.ask("Forfeit", game_id=lonely)  # One member alone is no club evening.
        assert (await club.ask(bob, "GetSeasonTable")).games == 1

    on_server(story)


def test_a_game_at_a_table_that_spectators_see_late_counts_late_for_everybody() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", "Cid")
        ann, bob, cid = club.members
        game_id = await club.play(ann, bob, private=False, spectator_delay_seconds=600)
        now = server.running.host.now
        for member in (ann, cid):
            assert (await club.ask(member, "GetSeasonTable")).games == 0
            assert not (await club.ask(member, "GetAttendance")).evenings
            assert await club.exported(member) == b""
        server.running.host.now = lambda: now() + 600_000
        for member in (ann, cid):
            assert (await club.ask(member, "GetSeasonTable")).games == 1
            assert game_id.encode() in await club.exported(member)

    on_server(story, own=True)


def test_a_game_belongs_to_the_season_in_which_it_ended() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann", "Bob", season_name="Spring")
        ann, bob = club.members
        await club.play(ann, bob)
        await club.ask(ann, "EndSeason")
        await club.play(ann, bob)  # Between two seasons: in no table but that of all games.
        seasons = (await club.ask(ann, "StartSeason", name="Autumn")).club.seasons
        assert [(one.number, one.name, one.HasField("ended_at")) for one in seasons] == [
            (1, "Spring", True),
            (2, "Autumn", False),
        ]
        await club.play(bob, ann)
        await club.play(bob, ann)
        games = {one: (await club.ask(bob, "GetSeasonTable", season=one)).games for one in (0, 1, 2)}
        assert games == {0: 4, 1: 1, 2: 2}
        newest = await club.ask(bob, "GetSeasonTable")
        assert (newest.season.name, newest.games) == ("Autumn", 2)
        assert await club.refusal(bob, "GetSeasonTable", season=3) == "NO_SUCH_SEASON"
        assert await club.refusal(bob, "StartSeason", name="Mine") == "NOT_THE_ORGANISER"

    on_server(story)


async def told(call: Any) -> str:
    """The words of a refusal."""
    with pytest.raises(Told) as refusal:
        await call
    return str(refusal.value)


def test_many_who_join_at_the_same_moment_all_become_members() -> None:
    async def story(server: Server) -> None:
        club = await club_evening(server, "Ann")
        others = [await server.player("Same") for _ in range(6)]
        await asyncio.gather(*[club.ask(one, "JoinClub", code=club.code) for one in others])
        members = list((await club.ask(club.organiser, "GetClub")).club.members)
        assert len(members) == 7
        assert len({one.name for one in members}) == 7

    on_server(story)
