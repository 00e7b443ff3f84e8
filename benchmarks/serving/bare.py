"""The yardstick: the least that could be called an MCP server, with no house behind it."""

import hashlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.ground import Plain
from benchmarks.serving.loop import TOKEN, serve
from benchmarks.wire import VERSION

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Request(msgspec.Struct):
    jsonrpc: str
    method: str
    id: int | str
    params: dict[str, Any]


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    entity: str
    limit: int = 20


decode = msgspec.json.Decoder(Request).decode
encode = msgspec.json.Encoder().encode
known = {hashlib.sha256(TOKEN.encode()).digest()}
signed = {"io.modelcontextprotocol/serverInfo": {"name": "bare", "version": "1"}}


def application(plain: Plain, tools: bytes) -> Callable[[dict[str, Any], Receive, Send], Awaitable[None]]:
    """An ASGI application with one read and a ready-made list."""
    listing = encode(
        {
            "resultType": "complete", "tools": msgspec.Raw(tools), "ttlMs": 10_000, "cacheScope": "private",
            "_meta": signed,
        }
    )  # fmt: skip

    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await reply(send, *await answered(scope, receive))

    async def answered(scope: dict[str, Any], receive: Receive) -> tuple[int, bytes]:
        headers = dict(scope["headers"])
        if not headers[b"host"].startswith(b"127.0.0.1:"):
            return 421, b"{}"
        if hashlib.sha256(headers.get(b"authorization", b"")[7:]).digest() not in known:
            return 401, b"{}"
        message = await receive()
        body = message["body"]
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        request = decode(body)
        if headers.get(b"mcp-protocol-version", b"").decode() != VERSION:
            return 400, b"{}"
        if headers.get(b"mcp-method", b"").decode() != request.method:
            return 400, b"{}"
        result = listing if request.method == "tools/list" else called(request.params["arguments"])
        return 200, encode({"jsonrpc": "2.0", "id": request.id, "result": msgspec.Raw(result)})

    def called(raw: dict[str, Any]) -> bytes:
        arguments = msgspec.convert(raw, Arguments)
        found = encode({**plain.facts_of(arguments.entity, arguments.limit), "_inbox_unread": 0})
        return encode(
            {
                "resultType": "complete", "content": [{"type": "text", "text": found.decode()}],
                "structuredContent": msgspec.Raw(found), "isError": False, "_meta": signed,
            }
        )  # fmt: skip

    return app


async def reply(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    data, definitions = sys.argv[1:]
    serve(application(Plain(data), Path(definitions).read_bytes()))
