"""tools/call of one scoped, access-checked, indexed read, and tools/list: server CPU for each, against three peers."""

from contextlib import ExitStack
from typing import Any

from benchmarks.bench import PEERS, Bench, Client, Server
from benchmarks.figures import Figure, compared, percentile
from benchmarks.ground import FACTS_EACH, entity_id
from benchmarks.serving.house import SCOPED_TO

CALLS = {"bare": 2000, "all": 2000, "listed": 2000, "low_level": 1000, "high_level": 600}
MANY = 16
PEER = {"bare": "bare ASGI + msgspec", "low_level": "mcp low-level", "high_level": "FastMCP"}
AT_MOST = {"bare": 3, "low_level": 1 / 2, "high_level": 1 / 5}
ARGUMENTS = [{"entity": entity_id(n), "limit": FACTS_EACH} for n in range(SCOPED_TO)]
Round = dict[str, dict[str, Any]]


def measured(bench: Bench) -> list[Figure]:
    """One read by one client and by sixteen, and the list, in rounds that take every server in turn."""
    with ExitStack() as stack:
        servers: dict[str, Server] = {
            "bare": stack.enter_context(bench.server("bare")),
            "low_level": stack.enter_context(bench.server("low_level", PEERS)),
            "high_level": stack.enter_context(bench.server("high_level", PEERS)),
            **stack.enter_context(bench.sophia()),
        }
        client = stack.enter_context(bench.client())
        rounds = [_round(bench, client, servers, n) for n in range(bench.rounds)]
    return [
        *_calls("tools/call, one client, scope of 20 entities", [each["one"] for each in rounds], "listed"),
        *_calls("tools/call, one client, scope all", [each["one"] for each in rounds], "all"),
        *_calls("tools/call, 16 clients, scope of 20 entities", [each["many"] for each in rounds], "listed"),
        *_latency([each["many"] for each in rounds]),
        *_lists([each["list"] for each in rounds]),
    ]


def _round(bench: Bench, client: Client, servers: dict[str, Server], n: int) -> dict[str, Round]:
    bench.say(f"calls and lists, round {n + 1} of {bench.rounds}")
    found: dict[str, Round] = {"one": {}, "many": {}, "list": {}}
    for name, server in servers.items():
        requests = server.calls("sophia.facts_of", ARGUMENTS)
        found["one"][name] = client.run(server, requests, clients=1, calls=CALLS[name])
        found["many"][name] = client.run(server, requests, clients=MANY, calls=CALLS[name])
        found["list"][name] = client.run(server, server.lists(), clients=1, calls=CALLS[name] // 20)
    return found


def _cpu(rounds: list[Round], name: str) -> list[float]:
    return [each[name]["cpu_us"] for each in rounds]


def _calls(what: str, rounds: list[Round], scope: str) -> list[Figure]:
    return [
        compared(what, _cpu(rounds, scope), f"{PEER[peer]}, {_median(rounds, peer)} µs", _cpu(rounds, peer), at_most)
        for peer, at_most in AT_MOST.items()
    ]


def _median(rounds: list[Round], name: str) -> int:
    return round(percentile(_cpu(rounds, name), 0.5))


def _latency(rounds: list[Round]) -> list[Figure]:
    """How much longer the slowest of a hundred takes than the one in the middle, by the client's clock."""
    found = []
    for name, what in (("listed", "Sophia"), ("bare", "bare ASGI + msgspec, for comparison")):
        middle = [percentile(each[name]["times_us"], 0.5) for each in rounds]
        slow = [percentile(each[name]["times_us"], 0.99) for each in rounds]
        ratios = [a / b for a, b in zip(slow, middle, strict=True)]
        at_most = 4.0 if name == "listed" else None
        against = f"its own p50, {percentile(middle, 0.5):.0f} µs"
        found.append(Figure(f"p99 of a tools/call, 16 clients: {what}", "µs", slow, against, ratios, at_most))
    return found


def _lists(rounds: list[Round]) -> list[Figure]:
    peer = "low_level"
    return [
        compared(
            "tools/list of 180 tools", _cpu(rounds, "all"), f"{PEER[peer]}, {_median(rounds, peer)} µs",
            _cpu(rounds, peer), 1 / 20,
        )
    ]  # fmt: skip
