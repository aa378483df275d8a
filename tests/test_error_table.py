"""The page of errors has every reason, with the status that goes over the wire."""

import re

import pytest

from domain.refusals import Refusal, code_of
from infra.postgres.failures import StoreFailed
from services.reasons.problem import problem_of
from services.reasons.table import KINDS, STORE_KINDS
from services.rpc.status import code_of_problem, details_of
from tests.error_table import GROUPS, INTRODUCTION, NEVER_ON_THE_WIRE, TABLE, Reason, kinds, reasons, rendered

REASONS = list(reasons())


def test_the_page_of_errors_is_what_the_code_makes_of_it() -> None:
    assert TABLE.read_text(encoding="utf-8") == rendered(), "run `python -m tests.error_table`"


def test_every_refusal_and_every_failure_of_the_store_stands_in_the_page_once() -> None:
    told = re.findall(r"^\| `([A-Z_]+)` \| `[A-Z_]+` \|", rendered(), re.MULTILINE)
    known = [code_of(kind) for kind in kinds() if kind.__name__ not in NEVER_ON_THE_WIRE]

    assert sorted(told) == sorted(known)
    assert len(set(told)) == len(told)
    assert {"BID_NOT_HIGHER", "TOKEN_MISSING", "REQUEST_ID_REUSED", "STORE_UNREACHABLE"} <= set(told)


def test_every_group_of_the_page_has_reasons() -> None:
    assert {reason.group for reason in REASONS} == set(GROUPS)


def test_what_to_do_is_said_for_every_status_that_there_is() -> None:
    said = set(re.findall(r"^\| `([A-Z_]+)` \| {\1} \| [a-z]", INTRODUCTION, re.MULTILINE))

    assert {reason.status.name for reason in REASONS} | {"INTERNAL"} == said


def test_what_the_table_of_statuses_names_can_go_over_the_wire() -> None:
    named = {kind.__name__ for kind in (*KINDS, *STORE_KINDS)}

    assert not named & NEVER_ON_THE_WIRE
    assert {kind.__name__ for kind in kinds()} >= NEVER_ON_THE_WIRE


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
def test_a_reason_goes_over_the_wire_as_the_page_says(reason: Reason) -> None:
    (kind,) = (kind for kind in kinds() if code_of(kind) == reason.name)
    fields = dict.fromkeys(reason.keys, 1)
    error: Exception = kind(**fields) if issubclass(kind, Refusal | StoreFailed) else kind()
    problem = problem_of(error)

    assert problem is not None
    assert (code_of_problem(problem), problem.reason) == (reason.status, reason.name)
    assert set(problem.metadata) == set(reason.keys)
    assert details_of(problem)
