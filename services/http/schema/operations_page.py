"""A path on the page: its parameters, its answer with an example, and how it can fail."""

import json
import shlex
from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from services.http.problems import MEDIA_TYPE
from services.http.schema.prose import code, fields_anchor, kind_of, paragraphs, prose

_SHOWN_ALWAYS = 1_200
"""Longer examples are folded."""


def operation_card(path: str, operation: dict[str, Any]) -> str:
    """Everything about one path."""
    name = operation["operationId"]
    return (
        f'<article class="card operation" id="{name}" aria-labelledby="{name}-title">'
        f'<h3 id="{name}-title"><a href="#{name}">{escape(operation["summary"])}</a></h3>'
        f'<p class="path"><span class="method">GET</span> {code(path)}</p>'
        f"{paragraphs(operation['description'])}{_parameters(operation)}{_request(path, operation)}"
        f"{_answer(operation)}{_failures(operation)}</article>"
    )


def reason_anchor(reason: str) -> str:
    """Where the page explains a reason."""
    return f"reason-{reason}"


def headers_list(headers: dict[str, Any], shared: dict[str, Any]) -> str:
    """The headers of an answer. Those that many answers have are explained in one place."""
    rows = "".join(
        f"<dt>{code(name)}</dt><dd>{prose(shared[name]['description'] if '$ref' in one else one['description'])}</dd>"
        for name, one in headers.items()
    )
    return f'<dl class="headers">{rows}</dl>'


def _parameters(operation: dict[str, Any]) -> str:
    rows = "".join(map(_parameter, operation.get("parameters", [])))
    return f'<h4>Parameters</h4><dl class="parameters">{rows}</dl>' if rows else ""


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    place = {"path": "in the path", "header": "a header", "query": ""}[parameter["in"]]
    marks = [one for one in (place, "needed" if parameter.get("required") else "") if one]
    tags = "".join(f' <span class="tag">{one}</span>' for one in marks)
    facts = [kind_of(schema)]
    if "default" in schema:
        facts.append(f"{code(json.dumps(schema['default']).strip(chr(34)))} if left out")
    elif "enum" not in schema:
        facts.append(f"such as {code(parameter['example'])}")
    return (
        f"<div><dt>{code(parameter['name'])}{tags}</dt>"
        f'<dd>{prose(parameter["description"])}<p class="facts">{"; ".join(facts)}</p></dd></div>'
    )


def _request(path: str, operation: dict[str, Any]) -> str:
    """A request as one types it, with what has to be there and one parameter more."""
    parameters = operation.get("parameters", [])
    filled = path.format(**{one["name"]: one["example"] for one in parameters if one["in"] == "path"})
    chosen = [one for one in parameters if one["in"] == "query" and one.get("required")]
    chosen += [one for one in parameters if one["in"] == "query" and not one.get("required")][: 0 if chosen else 1]
    query = urlencode(
        {one["name"]: str(one["example"]).lower() if one["example"] is False else one["example"] for one in chosen}
    )
    address = f"http://127.0.0.1:8080{filled}{'?' if query else ''}{query}"
    return f'<h4>Request</h4><pre class="request" tabindex="0"><code>curl {escape(shlex.quote(address))}</code></pre>'


def _answer(operation: dict[str, Any]) -> str:
    response = operation["responses"]["200"]
    kinds = "".join(_content(kind, content) for kind, content in response.get("content", {}).items())
    names = ", ".join(f'<a href="#headers">{escape(name)}</a>' for name in response["headers"])
    without = "".join(
        f'<p class="soft"><span class="status">{status}</span> {prose(one["description"])}</p>'
        for status, one in operation["responses"].items()
        if status != "200" and not one.get("content")
    )
    return f'<h4>Answer</h4>{kinds}<p class="soft small">Headers: {names}.</p>{without}'


def _content(media_type: str, content: dict[str, Any]) -> str:
    kind = kind_of(content["schema"]) if "$ref" in content["schema"] else ""
    return (
        f'<p><span class="status">200</span> {code(media_type)} {kind}</p>{_example(content["example"])}'
        if "example" in content
        else f'<p><span class="status">200</span> {code(media_type)} {kind}</p>'
    )


def _example(example: Any) -> str:
    text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    is_open = " open" if len(text) <= _SHOWN_ALWAYS else ""
    return (
        f'<details class="example-answer"{is_open}><summary>Example</summary>'
        f'<pre tabindex="0"><code>{escape(text, quote=False)}</code></pre></details>'
    )


def _failures(operation: dict[str, Any]) -> str:
    rows = "".join(_failure_rows(operation))
    return (
        f'<h4>If it fails</h4><div class="scroll" tabindex="0" role="group" aria-label="If it fails">'
        f"<table><thead><tr><th>status</th><th>meaning</th><th>reasons</th></tr></thead><tbody>{rows}</tbody></table></div>"
        if rows
        else ""
    )


def _failure_rows(operation: dict[str, Any]) -> Iterator[str]:
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get(MEDIA_TYPE)
        if content is not None:
            reasons = " ".join(
                f'<a class="reason" href="#{reason_anchor(one)}">{escape(one)}</a>' for one in content["examples"]
            )
            meaning = f"{prose(response['description'])}"
            title = escape(HTTPStatus(int(status)).phrase)
            yield f'<tr><td><span class="status is-bad" title="{title}">{status}</span></td><td>{meaning}</td><td>{reasons}</td></tr>'


def fields_card(name: str, schema: dict[str, Any]) -> str:
    """What the fields of a struct mean."""
    rows = "".join(
        f'<div><dt>{code(field)}</dt><dd>{prose(one.get("description", ""))}<p class="facts">{kind_of(one)}</p></dd></div>'
        for field, one in schema.get("properties", {}).items()
    )
    anchor = fields_anchor(name)
    return (
        f'<article class="card fields" id="{anchor}" aria-labelledby="{anchor}-title">'
        f'<h3 id="{anchor}-title"><a href="#{anchor}">{escape(name)}</a></h3>'
        f'{paragraphs(schema.get("description", ""))}<dl class="parameters">{rows}</dl></article>'
    )
