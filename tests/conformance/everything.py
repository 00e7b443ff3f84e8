"""What the official suite wants a server to have, on the same wire: tools, prompts, resources, and questions back."""

import asyncio
import hashlib
import hmac
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

from sophia.agent.door import Exchange, Extras, Refused
from sophia.core.caller import Agent
from sophia.dispatch.answer import Answer
from tests.conformance import material
from tests.conformance.rounds import ROUNDS, Round
from tests.support.fixture_door import FixtureDoor

KEY = b"only for this fixture"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"


class EverythingDoor(FixtureDoor):
    """A fixture door whose plain tools answer in blocks."""

    def __init__(self) -> None:
        named = [*material.BLOCKS, "test_error_handling", *material.WHOLE, *ROUNDS]
        super().__init__(tools={name: f"Fixture {name}." for name in named}, schemas=material.SCHEMAS)

    async def call(self, caller: Agent, name: str, arguments: dict[str, Any]) -> Answer:
        if name == "test_error_handling":
            said = [material.text("This tool intentionally returns an error for testing")]
            return Answer(b"{}", is_error=True, content=said)
        return Answer(b"{}", content=material.BLOCKS[name])


class Questions:
    """What a legacy client is asked on the stream of its own call, and what it answered."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._open: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, exchange: Exchange, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = f"q-{next(self._numbers)}"
        self._open[number] = asyncio.get_running_loop().create_future()
        await exchange.emit({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answered = await self._open[number]
        result: dict[str, Any] = answered.get("result", {})
        return result

    def replied(self, message: dict[str, Any]) -> None:
        future = self._open.pop(str(message.get("id")), None)
        if future is not None and not future.done():
            future.set_result(message)


def extras() -> Extras:
    """All that the suite asks for besides plain tools."""
    questions = Questions()
    tools: dict[str, Callable[[Exchange], Awaitable[dict[str, Any]]]] = {
        "test_tool_with_progress": _with_progress,
        "test_tool_with_logging": _with_logging,
        "test_logging_tool": _logging_tool,
        "test_streaming_elicitation": _streaming,
        "test_missing_capability": _missing_capability,
        **{name: _asking(questions, name) for name in material.QUESTIONS},
        **{name: _in_rounds(rounds) for name, rounds in ROUNDS.items()},
    }
    return Extras(
        capabilities={"completions": {}, "resources": {"listChanged": False}},
        legacy_capabilities={"logging": {}, "resources": {"subscribe": True}},
        methods={
            "completion/complete": _complete,
            "resources/list": _just({"resources": material.RESOURCES}),
            "resources/templates/list": _just({"resourceTemplates": material.TEMPLATES}),
            "resources/read": _read,
            "prompts/list": _just({"prompts": material.PROMPTS}),
            "prompts/get": _prompt,
        },
        legacy={
            "logging/setLevel": _just({}),
            "resources/subscribe": _just({}),
            "resources/unsubscribe": _just({}),
        },
        tools=tools,
        replied=questions.replied,
    )


def _just(told: dict[str, Any]) -> Callable[[Exchange], Awaitable[dict[str, Any]]]:
    async def answer(exchange: Exchange) -> dict[str, Any]:
        return told

    return answer


def _said(words: str) -> dict[str, Any]:
    return {"content": [material.text(words)]}


async def _complete(exchange: Exchange) -> dict[str, Any]:
    return {"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": False}}


async def _read(exchange: Exchange) -> dict[str, Any]:
    uri = str(exchange.params.get("uri"))
    if uri in material.CONTENTS:
        return {"contents": [{"uri": uri, **material.CONTENTS[uri]}]}
    start, end = "test://template/", "/data"
    if uri.startswith(start) and uri.endswith(end):
        number = uri[len(start) : -len(end)]
        data = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": data}]}
    raise Refused(-32602, "Resource not found", {"uri": uri})


async def _prompt(exchange: Exchange) -> dict[str, Any]:
    name, arguments = exchange.params.get("name"), exchange.params.get("arguments") or {}
    if name == "test_input_required_result_prompt":
        responses = exchange.params.get("inputResponses")
        if not isinstance(responses, dict) or "user_context" not in responses:
            return {"resultType": "input_required", "inputRequests": material.PROMPT_QUESTION}
        return {"messages": [material.message(material.text("With that context."))]}
    messages = material.prompt_messages(str(name), arguments)
    if messages is None:
        raise Refused(-32602, "unknown prompt")
    return {"messages": messages}


async def _with_progress(exchange: Exchange) -> dict[str, Any]:
    token = exchange.params.get("_meta", {}).get("progressToken")
    for progress in (0, 50, 100):
        if token is not None:
            params = {"progressToken": token, "progress": progress, "total": 100}
            await exchange.emit({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    return _said("Done.")


async def _with_logging(exchange: Exchange) -> dict[str, Any]:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        params = {"level": "info", "data": words}
        await exchange.emit({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
    return _said("Done.")


async def _logging_tool(exchange: Exchange) -> dict[str, Any]:
    if "io.modelcontextprotocol/logLevel" in exchange.params.get("_meta", {}):
        return await _with_logging(exchange)
    return _said("Nobody asked for logs.")


async def _streaming(exchange: Exchange) -> dict[str, Any]:
    return {"resultType": "input_required", "inputRequests": material.PROMPT_QUESTION}


async def _missing_capability(exchange: Exchange) -> dict[str, Any]:
    if "sampling" not in exchange.params.get("_meta", {}).get(CAPABILITIES_KEY, {}):
        raise Refused(-32021, "This needs the sampling capability.", {"requiredCapabilities": {"sampling": {}}})
    return _said("Sampled.")


def _asking(questions: Questions, name: str) -> Callable[[Exchange], Awaitable[dict[str, Any]]]:
    async def answer(exchange: Exchange) -> dict[str, Any]:
        method, params = material.QUESTIONS[name](exchange.params.get("arguments") or {})
        heard = await questions.ask(exchange, method, params)
        return _said(f"Heard: {json.dumps(heard)}")

    return answer


def _in_rounds(rounds: list[Round]) -> Callable[[Exchange], Awaitable[dict[str, Any]]]:
    """Ask for input round by round; the sealed state says which round it is."""

    async def answer(exchange: Exchange) -> dict[str, Any]:
        params = exchange.params
        state = params.get("requestState")
        number = _unsealed(state) if state is not None else 0
        given = params.get("inputResponses")
        if state is not None or given is not None:
            wanted = rounds[number].questions
            if isinstance(given, dict) and all(isinstance(given.get(key), dict) for key in wanted):
                number += 1
        if number == len(rounds):
            return _said("state-ok: everything was answered.")
        able = params.get("_meta", {}).get(CAPABILITIES_KEY, {})
        questions = rounds[number].fitting(able)
        asked: dict[str, Any] = {"resultType": "input_required", "inputRequests": questions}
        return {**asked, "requestState": _sealed(number)} if rounds[number].keeps_state else asked

    return answer


def _sealed(number: int) -> str:
    return f"{number}.{hmac.new(KEY, str(number).encode(), hashlib.sha256).hexdigest()}"


def _unsealed(state: object) -> int:
    told, _, _ = str(state).partition(".")
    if not told.isdigit() or not hmac.compare_digest(_sealed(int(told)).encode(), str(state).encode()):
        raise Refused(-32602, "requestState was changed")
    return int(told)
