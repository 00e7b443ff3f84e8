"""A client in a process of its own: sends requests over kept connections, and reads the server's CPU around them.

Takes one JSON order a line on its input and answers each with one line.
"""

import json
import selectors
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any


@dataclass
class Line:
    """One connection, which sends its next request when the answer to the last one is whole."""

    sock: socket.socket
    answer: bytes = b""
    sent_at: int = 0

    def send(self, request: bytes) -> None:
        self.answer = b""
        self.sent_at = time.perf_counter_ns()
        self.sock.sendall(request)

    def whole(self) -> bool:
        """Take in what came; whether the answer is all there."""
        came = self.sock.recv(262_144)
        if not came:
            raise ConnectionError("the server closed the connection")
        self.answer += came
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not found:
            return False
        lower = head.lower()
        at = lower.find(b"content-length:")
        if at < 0:
            return body.endswith(b"0\r\n\r\n")
        return len(body) >= int(lower[at + 15 :].split(b"\r\n", 1)[0])


def cpu_ns(pid: int) -> int:
    """The CPU time that a process has taken so far, all its threads together, by the kernel's own clock of it."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Make the calls of one order: `port`, `pid`, `requests`, `clients`, `calls`, `expect`."""
    requests = [text.encode() for text in order["requests"]]
    expect = order["expect"].encode()
    lines = [Line(socket.create_connection(("127.0.0.1", order["port"]))) for _ in range(order["clients"])]
    try:
        _exchange(lines, requests, expect, max(len(lines), order["calls"] // 5))
        before, began = cpu_ns(order["pid"]), time.perf_counter_ns()
        times, size = _exchange(lines, requests, expect, order["calls"])
        cpu, wall = cpu_ns(order["pid"]) - before, time.perf_counter_ns() - began
    finally:
        for line in lines:
            line.sock.close()
    return {"cpu_us": cpu / len(times) / 1000, "wall_s": wall / 1e9, "times_us": times, "bytes": size}


def _exchange(lines: list[Line], requests: list[bytes], expect: bytes, calls: int) -> tuple[list[float], int]:
    """The time of each of `calls` exchanges in microseconds, and the size of the last answer's body."""
    times: list[float] = []
    sent, size = 0, 0
    with selectors.DefaultSelector() as selector:
        for line in lines:
            selector.register(line.sock, selectors.EVENT_READ, line)
            line.send(requests[sent % len(requests)])
            sent += 1
        while len(times) < calls:
            for key, _ in selector.select():
                line = key.data
                if not line.whole():
                    continue
                times.append((time.perf_counter_ns() - line.sent_at) / 1000)
                if b" 200 " not in line.answer[:16] or expect not in line.answer:
                    raise ValueError(f"not an answer: {line.answer[:2000]!r}")
                size = len(line.answer.partition(b"\r\n\r\n")[2])
                if sent < calls:
                    line.send(requests[sent % len(requests)])
                    sent += 1
    return times, size


if __name__ == "__main__":
    for order in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(order))) + "\n")
        sys.stdout.flush()
