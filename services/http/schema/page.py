"""The document as a page for people. It needs no script, and nothing from elsewhere."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from services.http.schema.operations_page import fields_card, headers_list, operation_card, reason_anchor
from services.http.schema.prose import code, fields_anchor, paragraphs, prose

PATH = "/schema"
_WAYS = (
    ("/", "Play"),
    ("/games", "Games"),
    ("/leaderboards", "Leaderboards"),
    ("/players", "Players"),
    ("/rules", "Rules"),
    ("/verify", "Verify"),
)
_ANSWERS, _REASONS, _HEADERS = "Fields of answers", "Reasons of failures", "Headers of answers"
Entries = Sequence[tuple[str, str]]
"""Anchors and what stands there."""


def schema_page(document: dict[str, Any], assets: str) -> bytes:
    """The page. The files with its look are in the folder `assets`."""
    info, components = document["info"], document["components"]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Reading over HTTP - {escape(info["title"])}</title>
<link rel="icon" href="{assets}/page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{assets}/page/styles/page.css">
<link rel="stylesheet" href="{assets}/page/styles/schema.css">
</head>
<body>
<div id="app">
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a class="brand" href="/"><img src="{assets}/page/icon.svg" alt="" width="30" height="30">{escape(info["title"])}</a>
<nav class="ways" aria-label="Pages">{"".join(f'<a href="{path}">{name}</a>' for path, name in _WAYS)}</nav></header>
<main id="content" class="content is-wide schema" tabindex="-1">
<header class="schema-head"><h1>Reading over HTTP</h1>{paragraphs(info["description"])}
<p class="row"><a class="button" href="{PATH}/openapi.json">OpenAPI as JSON</a><a class="button" href="{PATH}/openapi.yaml">as YAML</a>
<span class="soft small">version {escape(info["version"])}</span></p></header>
<div class="schema-body">
<nav class="schema-contents" aria-label="Contents"><details open><summary>Contents</summary>{_contents(document)}</details></nav>
<div class="schema-parts">
{"".join(_tags(document))}
<section class="stack" aria-labelledby="answers"><h2 id="answers">{_ANSWERS}</h2>
{"".join(fields_card(name, one) for name, one in sorted(components["schemas"].items()))}</section>
<section class="stack" aria-labelledby="reasons"><h2 id="reasons">{_REASONS}</h2>
<p>A program looks at <code>reason</code>, which is never renamed. The sentence in <code>detail</code> is for people, and may change.</p>
<div class="card"><dl class="parameters">{"".join(_reasons(components["examples"]))}</dl></div></section>
<section class="stack" aria-labelledby="headers"><h2 id="headers">{_HEADERS}</h2>
<div class="card">{headers_list(_all_headers(document), components["headers"])}</div></section>
</div>
</div>
</main>
<footer class="bottom"><a href="/about">About</a><a href="#content">To the top</a></footer>
</div>
</body>
</html>
""".encode()


def _operations(document: dict[str, Any], tag: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        if tag in methods["get"]["tags"]:
            yield path, methods["get"]


def _contents(document: dict[str, Any]) -> str:
    groups: list[tuple[str, str, Entries]] = [
        (
            tag["name"],
            f"tag-{tag['name']}",
            [(one["operationId"], one["summary"]) for _, one in _operations(document, tag["name"])],
        )
        for tag in document["tags"]
    ]
    names = sorted(document["components"]["schemas"])
    schemas = [("answers", "All of them"), *((fields_anchor(name), name) for name in names)]
    listed = "".join(
        f'<li><a href="#{anchor}">{escape(name.capitalize())}</a><ul>{_entries(entries)}</ul></li>'
        for name, anchor, entries in groups
    )
    return (
        f'<ul class="contents">{listed}'
        f"<li><details><summary>{_ANSWERS}</summary><ul>{_entries(schemas)}</ul></details></li>"
        f'<li><a href="#reasons">{_REASONS}</a></li><li><a href="#headers">{_HEADERS}</a></li></ul>'
    )


def _entries(entries: Entries) -> str:
    return "".join(f'<li><a href="#{anchor}">{escape(name)}</a></li>' for anchor, name in entries)


def _tags(document: dict[str, Any]) -> Iterator[str]:
    for tag in document["tags"]:
        cards = "".join(operation_card(path, one) for path, one in _operations(document, tag["name"]))
        anchor = f"tag-{tag['name']}"
        yield (
            f'<section class="stack" aria-labelledby="{anchor}"><h2 id="{anchor}">{escape(tag["name"].capitalize())}</h2>'
            f"{paragraphs(tag['description'])}{cards}</section>"
        )


def _reasons(examples: dict[str, Any]) -> Iterator[str]:
    for reason, example in sorted(examples.items()):
        status = example["value"]["status"]
        yield (
            f'<div id="{reason_anchor(reason)}"><dt>{code(reason)} <span class="status is-bad">{status}</span></dt>'
            f"<dd>{prose(example['summary'])}</dd></div>"
        )


def _all_headers(document: dict[str, Any]) -> dict[str, Any]:
    """Every header of an answer, in the order of their names."""
    found = {
        name: header
        for methods in document["paths"].values()
        for response in methods["get"]["responses"].values()
        for name, header in response["headers"].items()
    }
    return dict(sorted(found.items()))
