"""The table of errors in `docs/reference/errors.md`: every reason for which a call can fail, as the code has it.

`python -m tests.error_table` writes it anew.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from grpc import StatusCode

import domain
import infra
import services
from domain.refusals import Refusal, code_of
from domain.values import Value
from infra.postgres.failures import StoreFailed
from services.http.problems import STATUSES
from services.reasons.problem import FAULT
from services.reasons.table import kind_of, kind_of_failure
from services.rpc.status import STATUS_CODES, code_of_problem

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "reference" / "errors.md"

INTRODUCTION = """\
# Errors

A call that fails ends with one of the statuses below. The status alone says what to do next. The reason says to a program
what exactly was wrong, and the sentence says it to a person.

| status | over HTTP | what it means | what to do |
|---|---|---|---|
| `INVALID_ARGUMENT` | {INVALID_ARGUMENT} | the request makes no sense in any game | mend the program |
| `NOT_FOUND` | {NOT_FOUND} | the thing that the request names is not there | look at the list again |
| `ALREADY_EXISTS` | {ALREADY_EXISTS} | it is there already | go on with what is there |
| `FAILED_PRECONDITION` | {FAILED_PRECONDITION} | the game does not allow this now | look at the game, then choose another move |
| `UNAUTHENTICATED` | {UNAUTHENTICATED} | the server does not know who calls | get a token |
| `PERMISSION_DENIED` | {PERMISSION_DENIED} | the caller may not do this | ask someone who may |
| `ABORTED` | {ABORTED} | the game has moved on since the version that the request names | look at the game, then decide again |
| `RESOURCE_EXHAUSTED` | {RESOURCE_EXHAUSTED} | too much, or too fast | wait as long as `RetryInfo` says, then send the same request |
| `UNAVAILABLE` | {UNAVAILABLE} | the server or its database is away, or goes down | send the same request, with the same request id; resume streams |
| `DATA_LOSS` | {DATA_LOSS} | the stored game can't be opened | report it |
| `INTERNAL` | {INTERNAL} | a fault of the server | send the same request once more, and report it |

The trailing metadata `grpc-status-details-bin` holds a `google.rpc.Status` with a `google.rpc.ErrorInfo`: its `reason` is
in the tables, its `domain` is `liarsdice`, and its `metadata` has every value that the sentence mentions. Where a
rulebook stands behind a refusal, `metadata["clauses"]` names [the clauses](rules.md). With `INVALID_ARGUMENT` comes a
`google.rpc.BadRequest` with the path of the wrong field, if it is one field. Where waiting helps, a
`google.rpc.RetryInfo` says how long. A refusal on a Play call says the same in a `PlayRefused`. When a stream of one game
ends, `metadata["version"]` is the last version that the stream has sent. Reasons are never renamed; sentences may change.

A refused command has changed nothing. After `UNAVAILABLE` and `INTERNAL` you don't know whether it has; the same request
id makes it safe to ask again. gRPC refuses messages of more than 64 KiB by itself, with `RESOURCE_EXHAUSTED` and no details.

Over [HTTP](../client/http.md) the same comes as `application/problem+json`: `reason`, `domain` and `metadata` are members of it, the wrong
field is in `violations`, and the time to wait is in `Retry-After`. Some reasons exist over HTTP only: `NO_SUCH_PATH` and
`NO_SUCH_METHOD` (404), `METHOD_NOT_ALLOWED` (405), `CONTENT_TYPE_UNKNOWN` (415), `REQUEST_INCOMPLETE` (408) and `NO_HTTP` (400).
Calls [over Connect](../client/connect.md) and gRPC-Web fail in the forms of those protocols, with the same reasons and details; the HTTP status
there is the one that Connect has for the code.

This page is made from the code: `python -m tests.error_table` writes it again, and a test fails when it is out of date.
"""

GROUPS = {
    "services": "Calls, tokens, tables and streams",
    "domain": "The game",
    "infra": "The store",
}
NEVER_ON_THE_WIRE = {
    "ConsistencyMissing",
    "ConsistencyWrong",
    "KeysMissing",
    "KeysRefused",
    "LanesFixed",
    "LanesOutOfRange",
    "LogForked",
    "LogRolledBack",
    "MigrationNotAllowed",
    "ModelFaulty",
    "NoteSignatureWrong",
    "NoteUnsigned",
    "OriginUnknown",
    "ParquetMissing",
    "RequestIdInvalid",
    "RoleNotGranted",
    "SchemaTooNew",
    "SchemaTooOld",
    "SealedWithOtherKeys",
    "WitnessStateRefused",
}
"""What only the command line tells, before anything is served, and what the server's own ids of requests would have to be."""


class Reason(Value, frozen=True):
    """A reason for which a call can fail."""

    group: str
    name: str
    status: StatusCode
    sentence: str
    keys: tuple[str, ...]


def reasons() -> Iterator[Reason]:
    """All reasons, grouped by module and in the order of the modules."""
    for kind in kinds():
        if kind.__name__ not in NEVER_ON_THE_WIRE:
            sentence = kind.__doc__ or ""
            keys = tuple(dict.fromkeys(re.findall(r"{(\w+)}", sentence)))
            yield Reason(_group(kind), code_of(kind), _status(kind), sentence, keys)


def kinds() -> list[type[Exception]]:
    """Every kind of refusal and failure that the program knows, whatever was imported before."""
    packages = (domain, infra, services)
    for package in packages:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    found = [*Refusal.kinds(), *StoreFailed.__subclasses__()]
    names = {package.__name__ for package in packages}
    return sorted((kind for kind in found if kind.__module__.split(".")[0] in names), key=lambda kind: kind.__module__)


def _group(kind: type[Exception]) -> str:
    """The group that a kind belongs to, by the module it stands in."""
    (group,) = (group for group in GROUPS if f"{kind.__module__}.".startswith(f"{group}."))
    return group


def _status(kind: type[Exception]) -> StatusCode:
    if issubclass(kind, StoreFailed):
        return STATUS_CODES[kind_of_failure(kind)]
    assert issubclass(kind, Refusal)
    return STATUS_CODES[kind_of(kind)]


def rendered() -> str:
    """The whole page."""
    found = list(reasons())
    sections = [_section(title, [one for one in found if one.group == group]) for group, title in GROUPS.items()]
    introduction = INTRODUCTION
    for kind, http in STATUSES.items():
        introduction = introduction.replace(f"{{{STATUS_CODES[kind].name}}}", str(http.value))
    fault = f"## A fault of the server\n\n`{FAULT.reason}` (`{code_of_problem(FAULT).name}`): {FAULT.message}\n"
    return "\n".join([introduction, *sections, fault])


def _section(title: str, found: list[Reason]) -> str:
    rows = [
        f"| `{one.name}` | `{one.status.name}` | {_shown(one.sentence)} | {', '.join(f'`{key}`' for key in one.keys)} |"
        for one in found
    ]
    return "\n".join([f"## {title}", "", "| reason | status | sentence | metadata |", "|---|---|---|---|", *rows, ""])


def _shown(sentence: str) -> str:
    return re.sub(r"{(\w+)}", r"*\1*", sentence.replace("<", "&lt;").replace("|", "\\|"))


if __name__ == "__main__":
    TABLE.write_text(rendered(), encoding="utf-8")
