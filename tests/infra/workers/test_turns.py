"""Turns: callers take turns, however much one of them asks for."""

import asyncio

from infra.workers.turns import Turns


def test_a_caller_with_many_requests_lets_others_go_between() -> None:
    async def story() -> list[str]:
        turns, order = Turns(), list[str]()

        async def use(key: str, name: str) -> None:
            await turns.take(key)
            order.append(name)
            await asyncio.sleep(0)
            turns.give_back()

        tasks = [asyncio.create_task(use("eve", f"eve{number}")) for number in range(5)]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(use(key, f"{key}{number}")) for number in range(2) for key in ("ann", "bob")]
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(story()) == ["eve0", "eve1", "eve2", "ann0", "bob0", "eve3", "ann1", "bob1", "eve4"]


def test_a_turn_that_nobody_waits_for_any_more_goes_to_the_next() -> None:
    async def story() -> None:
        turns = Turns()
        await turns.take("ann")
        gone = asyncio.create_task(turns.take("eve"))
        came = asyncio.create_task(turns.take("eve"))
        await asyncio.sleep(0)
        assert turns.waiting("eve") == 2
        gone.cancel()
        await asyncio.sleep(0)
        assert turns.waiting("eve") == 1
        turns.give_back()
        await came
        turns.give_back()
        assert turns.waiting("eve") == 0
        async with asyncio.timeout(1):
            await turns.take("bob")

    asyncio.run(story())


def test_a_turn_that_comes_in_the_moment_in_which_its_caller_leaves_is_given_on() -> None:
    async def story() -> None:
        turns = Turns()
        await turns.take("ann")
        gone, came = (asyncio.create_task(turns.take(key)) for key in ("eve", "bob"))
        await asyncio.sleep(0)
        turns.give_back()
        gone.cancel()
        async with asyncio.timeout(1):
            await came
        assert gone.cancelled()
        assert turns.waiting("eve") == turns.waiting("bob") == 0

    asyncio.run(story())
