"""Many clients at once, each with its own answers."""

import asyncio
import json

import pytest

from tests.support.fixture_door import BEARER
from tests.support.wire import Wire

CLIENTS, CALLS = 50, 200


async def client(wire: Wire, number: int) -> int:
    """How many of this client's answers carried its own canary under the id that it asked with."""
    reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
    head = f"POST /mcp HTTP/1.1\r\nHost: {wire.host}\r\nAuthorization: Bearer {BEARER}\r\n"
    own = 0
    for call in range(CALLS):
        arguments = {"canary": f"c-{number}-{call}"}
        message = {
            "jsonrpc": "2.0",
            "id": call,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": arguments},
        }
        body = json.dumps(message)
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        told = json.loads(await reader.readexactly(length))
        own += told["id"] == call and told["result"]["structuredContent"]["echo"] == arguments
    writer.close()
    await writer.wait_closed()
    return own


@pytest.mark.guarantee("T17")
def test_fifty_clients_with_the_same_ids_each_see_only_their_own(wire: Wire):
    async def main() -> list[int]:
        return await asyncio.gather(*(client(wire, number) for number in range(CLIENTS)))

    assert asyncio.run(main()) == [CALLS] * CLIENTS
