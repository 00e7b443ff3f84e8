"""The child that reads files: `python -m sophia.extraction.worker LIMITS PARENT`, frames in and frames out."""

import os
import queue
import sys
import threading

import msgspec

from sophia.extraction.confinement import allow_processor_time, confine
from sophia.extraction.extracted import OUT_OF_MEMORY, Refused, Unextracted
from sophia.extraction.frames import HEADER, Answer, Request, framed, request_of
from sophia.extraction.limits import Limits
from sophia.extraction.readers import READERS

_XML_NO_MEMORY = 2
"""How libxml2 numbers the error that it got no more memory; its text says nothing."""


def main() -> None:
    """Read what comes over standard input until it ends."""
    limits = msgspec.json.decode(sys.argv[1], type=Limits)
    given, told = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # a library that prints must not be taken for an answer
        os.dup2(nothing, stream)
    os.close(nothing)
    confine(limits, int(sys.argv[2]))
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(given, requests), daemon=True).start()
    while True:
        request = request_of(requests.get())
        allow_processor_time(limits)
        _write(told, framed(answered(request, limits)))


def answered(request: Request, limits: Limits) -> Answer:
    """The text of one file, or why there is none."""
    try:
        return READERS[request.kind](request.data, request.name, limits)
    except Refused as refused:
        return refused.unextracted
    except MemoryError:
        return OUT_OF_MEMORY
    except RecursionError:
        return Unextracted("corrupt", "Its parts are nested too deep.")
    except Exception as error:  # noqa: BLE001 - a parser may raise anything over a broken file
        if isinstance(error, SyntaxError) and getattr(error, "code", None) == _XML_NO_MEMORY:
            return OUT_OF_MEMORY
        return Unextracted("corrupt", "It is damaged, or not the kind of file that its name says.")


def _receive(given: int, requests: "queue.SimpleQueue[bytes]") -> None:
    """Take in requests, and end the process where no more can come, whatever it is at."""
    while True:
        header = _read(given, HEADER.size)
        requests.put(_read(given, HEADER.unpack(header)[0]))


def _read(given: int, wanted: int) -> bytes:
    got = bytearray()
    while len(got) < wanted:
        part = os.read(given, min(wanted - len(got), 1 << 20))
        if not part:
            os._exit(0)
        got += part
    return bytes(got)


def _write(told: int, frame: bytes) -> None:
    left = memoryview(frame)
    while left:
        left = left[os.write(told, left) :]


if __name__ == "__main__":
    main()
