"""What the dashboard and the alerts ask for is what a real server says."""

import re

from tests.http.readers import Site, on_site
from tests.monitoring.promql import INTERVAL_SECONDS, Scrape, evaluated, names_in, scraped
from tests.monitoring.rules import expressions, panels


def played_for_a_while() -> tuple[Scrape, Scrape]:
    """What a server says before a game and after it."""

    async def story(site: Site) -> tuple[Scrape, Scrape]:
        game_id, _ = await site.played()
        await site.events(f"/games/{game_id}/replay?wait_seconds_max=0")
        await site.read("/games")
        before = scraped((await site.get("/metrics")).text, job="liarsdice", instance="one")
        await site.played()
        await site.read("/games")
        return before, scraped((await site.get("/metrics")).text, job="liarsdice", instance="one")

    return on_site(story, own=True)


def test_every_metric_that_an_alert_or_a_panel_names_is_one_that_a_real_server_has_and_every_panel_shows_something() -> (
    None
):
    before, after = played_for_a_while()
    there = {series.name for series in after.values}

    for expression in expressions():
        assert names_in(expression) <= there, expression
    for panel in panels():
        assert panel["description"].endswith(".")
        for target in panel["targets"]:
            if not target["expr"].endswith("> 0"):
                assert evaluated(target["expr"], before, after), f"{panel['title']}: {target['expr']}"


def test_every_label_that_an_expression_names_is_one_that_the_metric_has() -> None:
    _, after = played_for_a_while()
    known = {name for series in after.values for name, _ in series.labels}
    for expression in expressions():
        named = {name for part in re.findall(r"\bby \(([^)]*)\)", expression) for name in part.split(", ")}
        named |= {name for part in re.findall(r"\{([^}]*)\}", expression) for name in re.findall(r"(\w+)(?:=|!)", part)}
        assert named <= known, expression


def test_no_label_has_anything_but_words_and_numbers_that_the_program_chose() -> None:
    """So nothing of a game, a player or an address gets in by a new metric."""

    async def story(site: Site) -> tuple[Scrape, list[str]]:
        game_id, clients = await site.played()
        await site.get(f"/api/v1/games/{game_id}/record")
        await site.get("/made-up")
        text = (await site.get("/metrics")).text
        secrets = [game_id, "127.0.0.1", "made-up", "Player"]
        secrets += [one for client in clients for one in (client.player.player_id, client.player.token)]
        return scraped(text), [secret for secret in secrets if secret in text]

    scrape, found = on_site(story, own=True)

    values = {(name, value) for series in scrape.values for name, value in series.labels if name != "route"}
    assert not found
    assert all(re.fullmatch(r"[a-zA-Z_]+|[0-9]+|[0-9.]+|\+Inf", value) for _, value in values), values


def test_the_evaluator_reckons_as_prometheus_does() -> None:
    def scrape(count: int) -> Scrape:
        text = f"""# TYPE a counter
a_total{{k="x"}} {count}
a_total{{k="y"}} 4
# TYPE h histogram
h_bucket{{le="1.0"}} {count}
h_bucket{{le="2.0"}} {count * 2}
h_bucket{{le="+Inf"}} {count * 2}
h_count {count * 2}
h_sum {count * 2}
"""
        return scraped(text, job="j")

    before, after = scrape(0), scrape(30)
    nothing = frozenset[tuple[str, str]]()

    assert evaluated("sum(rate(a_total[5m]))", before, after) == {nothing: 30 / INTERVAL_SECONDS}
    assert evaluated('sum(increase(a_total{k="x"}[5m])) / sum(increase(a_total[5m])) > 0.5', before, after) == {
        nothing: 1
    }
    assert evaluated('sum by (k) (a_total{k!~"x|z"}) == 4', before, after) == {frozenset({("k", "y")}): 4}
    assert evaluated("histogram_quantile(0.75, sum by (le) (rate(h_bucket[1m])))", before, after) == {nothing: 1.5}
    assert evaluated("absent(b)", before, after) == {nothing: 1}
    assert not evaluated("absent(a_total)", before, after)
    assert not evaluated("max(a_total) > 100 or sum(b) > 0", before, after)
    assert evaluated("up == 1", before, after) == {frozenset({("job", "j")}): 1}
