"""The texts of files of every kind: plain ones read here, the others in a child that may break."""

import queue
import signal
import threading
from concurrent.futures import Future

import msgspec

from sophia.core.errors import Unavailable
from sophia.core.source_text import stored
from sophia.extraction import kinds
from sophia.extraction.extracted import OUT_OF_MEMORY, TIMED_OUT, Extracted, Unextracted
from sophia.extraction.frames import Answer, Request, answer_of, framed
from sophia.extraction.limits import Limits
from sophia.extraction.process import Child, Died, TooSlow

BROKEN = Unextracted("corrupt", "The reader of such files broke over it.")
_GAVE_UP = frozenset({signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGKILL})
"""How libraries end a process that gets no more memory; SIGKILL is the system's own word for it."""

Work = tuple[Request, "Future[Answer]"]


class Extractor:
    """Reads files, one at a time, from whatever thread. The child is there while there is work, and shortly after."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008 - it is frozen
        self._limits = limits
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._child: Child | None = None

    def extracted(self, data: bytes, name: str, mime: str | None = None) -> Extracted | Unextracted:
        """The text of a file of this name; `mime`, where it is given, says what it is, else the name's ending does.

        `Unavailable` once this is closed.
        """
        kind = kinds.kind_of(name, mime)
        if len(data) > self._limits.size:
            return Unextracted("too_large", f"It has {len(data)} bytes, more than the {self._limits.size} of one file.")
        if kind is None or kind not in kinds.RISKY:
            return kinds.extracted(data, name, mime)
        answer: Future[Answer] = Future()
        with self._lock:
            if self._closed:
                raise Unavailable("Files are not read any more: Sophia is stopping.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="extraction", daemon=True)
                self._thread.start()
            self._work.put((Request(kind, name, data), answer))
        return answer.result()

    def close(self) -> None:
        """End the child. What is being read is read first."""
        with self._lock:
            self._closed = True
            thread = self._thread
        self._work.put(None)
        if thread is not None:
            thread.join()

    def _serve(self) -> None:
        """Answer, one after the other. The child belongs to this thread, since it ends with it."""
        while True:
            try:
                work = self._work.get(timeout=self._limits.idle_s if self._child else None)
            except queue.Empty:
                self._end()
                continue
            if work is None:
                self._end()
                return
            request, answer = work
            try:
                answer.set_result(self._read(request))
            except BaseException as error:  # noqa: BLE001 - who asked is told, and the next one is served
                self._end()
                answer.set_exception(error)

    def _read(self, request: Request) -> Answer:
        if self._child is None or not self._child.is_alive or self._child.answers >= self._limits.files:
            self._end()
            self._child = Child(self._limits)
        try:
            answer = self._sound(self._child.asked(framed(request), self._most()))
        except TooSlow:
            answer = TIMED_OUT
        except Died as died:
            answer = TIMED_OUT if died.by == signal.SIGXCPU else OUT_OF_MEMORY if died.by in _GAVE_UP else BROKEN
        if answer in (TIMED_OUT, OUT_OF_MEMORY, BROKEN):
            self._end()  # even where it lives on, what it holds is not worth keeping
        return answer

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _most(self) -> int:
        """The longest answer: four bytes a character, and what a piece takes."""
        return 4 * self._limits.characters + 512 * self._limits.pieces + 4096

    def _sound(self, body: bytes) -> Answer:
        """The answer, if it is one that a sound child gives. `Died` for anything else."""
        try:
            answer = answer_of(body)
        except msgspec.MsgspecError as error:
            raise Died(0) from error
        if isinstance(answer, Extracted):
            if len(answer.text) > self._limits.characters:
                raise Died(0)
            bounds = [bound for piece in answer.pieces for bound in (piece.start, piece.end)]
            if bounds != sorted(bounds) or (bounds and not 0 <= bounds[0] <= bounds[-1] <= len(answer.text)):
                raise Died(0)
            if stored(answer.text) != answer.text:
                raise Died(0)
        return answer
