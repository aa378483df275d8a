"""`python -m tests.benchmarks.bare_server`: what grpc.aio alone can do. Each request sets the length of its answer.

A request begins with four bytes that say how long the answer is to be; there is nothing behind it, no store and no game.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc

_WATCHERS: list["asyncio.Queue[bytes]"] = []


def answer_to(request: bytes) -> bytes:
    return b"x" * int.from_bytes(request[:4], "big")


async def echo(request: bytes, _context: Any) -> bytes:
    return answer_to(request)


async def echo_stream(requests: AsyncIterator[bytes], context: Any) -> None:
    async for request in requests:
        await context.write(answer_to(request))


async def watch(_request: bytes, context: Any) -> None:
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    _WATCHERS.append(queue)
    await context.send_initial_metadata(())
    while True:
        await context.write(await queue.get())


async def push(request: bytes, _context: Any) -> bytes:
    letter = answer_to(request)
    for queue in _WATCHERS:
        queue.put_nowait(letter)
    return b""


async def main() -> None:
    server = grpc.aio.server()
    methods: dict[str, Any] = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "EchoStream": grpc.stream_stream_rpc_method_handler(echo_stream),
        "Watch": grpc.unary_stream_rpc_method_handler(watch),
        "Push": grpc.unary_unary_rpc_method_handler(push),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Bare", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"127.0.0.1:{port}\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # Until whoever started it is gone.
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main())
