"""One policy decides what is tried again, after which pause and for how long."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from grpc import StatusCode

from services.client import Patience, Refused, Unreachable
from services.client.errors import StreamBroken
from services.client.retry import Retry, pause_seconds, resumable_failure

QUICK = Patience(total_seconds=0.2, pause_seconds_min=0.01, pause_seconds_max=0.02)
AWAY = Refused(StatusCode.UNAVAILABLE, "nobody is there")
TOO_SOON = Refused(StatusCode.RESOURCE_EXHAUSTED, "too many calls", "RATE_LIMITED", retry_seconds=0.05)
WRONG = Refused(StatusCode.INVALID_ARGUMENT, "that is no bid", "BID_NOT_HIGHER")


def attempts(*failures: Refused) -> Callable[[float], Awaitable[int]]:
    """Tries that fail in turn, and then succeed."""
    left, made = list(failures), 0

    async def attempt(seconds_left: float) -> int:
        nonlocal made
        made += 1
        assert seconds_left <= QUICK.total_seconds
        if left:
            raise left.pop(0)
        return made

    return attempt


def test_a_call_without_an_answer_is_made_again_until_there_is_one() -> None:
    assert asyncio.run(Retry(QUICK, "here").call(attempts(AWAY, TOO_SOON, AWAY))) == 4


def test_a_call_that_the_server_refuses_is_not_made_again() -> None:
    with pytest.raises(Refused) as refusal:
        asyncio.run(Retry(QUICK, "here").call(attempts(WRONG, AWAY)))

    assert refusal.value is WRONG


def test_a_server_that_never_answers_is_unreachable_when_the_patience_ends() -> None:
    with pytest.raises(Unreachable, match="the server at here does not answer") as unreachable:
        asyncio.run(Retry(QUICK, "here").call(attempts(*[AWAY] * 100)))

    assert unreachable.value.last is AWAY


def test_a_server_that_asks_for_more_patience_than_there_is_has_answered() -> None:
    later = Refused(StatusCode.RESOURCE_EXHAUSTED, "too many calls", "RATE_LIMITED", retry_seconds=60.0)

    with pytest.raises(Refused) as refusal:
        asyncio.run(Retry(QUICK, "here").call(attempts(later)))

    assert refusal.value is later


def test_tries_without_an_end_go_on_after_the_patience() -> None:
    async def story() -> None:
        retry = Retry(Patience(total_seconds=0.0, pause_seconds_min=0.0), "here", gives_up=False)
        for _ in range(10):
            assert await retry.pause(AWAY) is None  # type: ignore[func-returns-value]  # it does not give up

    asyncio.run(story())


def test_after_a_success_the_patience_begins_anew() -> None:
    async def worn_out(retry: Retry) -> None:
        while True:
            await retry.pause(AWAY)

    async def story() -> None:
        retry = Retry(QUICK, "here")
        with pytest.raises(Unreachable):
            await worn_out(retry)
        retry.succeeded()
        await retry.pause(AWAY)

    asyncio.run(story())


def test_pauses_grow_up_to_the_longest_and_are_never_shorter_than_the_server_asks_for() -> None:
    patience = Patience(pause_seconds_min=0.1, pause_seconds_max=2.0)

    pauses = [pause_seconds(patience, failures, AWAY) for failures in range(40)]

    assert pauses[0] <= 0.1
    assert max(pauses) <= 2.0
    assert min(pauses[5:]) >= 1.0
    assert pause_seconds(patience, 0, TOO_SOON) >= 0.05


@pytest.mark.parametrize("error", [AWAY, TOO_SOON, Unreachable("here", AWAY), TimeoutError(), StreamBroken()])
def test_a_stream_that_broke_is_worth_opening_again(error: Exception) -> None:
    assert resumable_failure(error).resumable


def test_a_stream_that_the_server_refuses_is_not() -> None:
    with pytest.raises(Refused, match="that is no bid"):
        resumable_failure(WRONG)
