"""Files are read in a child that may break without anybody else noticing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sophia.core.errors import Unavailable
from sophia.extraction import child as child_module, process
from sophia.extraction.child import Extractor
from sophia.extraction.extracted import Extracted, Piece, Unextracted
from sophia.extraction.frames import HEADER, framed
from sophia.extraction.limits import Limits
from tests.support.files import docx_of, docx_with, pdf_of, pptx_of, xlsx_of
from tests.support.processes import ROOT, until
from tests.support.reading import places

ENDLESS = b"<div>" * 200_000
"""A page over which the parser sits for minutes: its time grows with the square of the depth."""


@pytest.fixture
def made() -> Iterator[Callable[..., Extractor]]:
    extractors: list[Extractor] = []

    def make(**limits: Any) -> Extractor:
        extractors.append(Extractor(Limits(**limits)))
        return extractors[-1]

    yield make
    for extractor in extractors:
        extractor.close()


def works(extractor: Extractor) -> None:
    read = extractor.extracted("name;city\r\nCafe\u0301;Zürich\r\n".encode(), "people.csv")
    assert isinstance(read, Extracted), read
    assert (read.title, read.mime) == ("people", "text/csv")
    assert places(read) == [("name\tcity", "header, line 1"), ("Café\tZürich", "line 2")]


def reason(extractor: Extractor, data: bytes, name: str) -> str:
    read = extractor.extracted(data, name)
    assert isinstance(read, Unextracted), read
    return read.reason


def children(pid: int | str = "self") -> list[int]:
    """The children of a process, whichever of its threads started them."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread may end meanwhile
            found += map(int, (task / "children").read_text().split())
    return found


def readers(pid: int | str = "self") -> list[int]:
    """Those of them that read files."""
    name = b"sophia.extraction.worker"
    return [child for child in children(pid) if name in Path(f"/proc/{child}/cmdline").read_bytes()]


def computed(pid: int) -> int:
    """The processor time of a process, in hundredths of a second."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])


def computes(pid: int) -> None:
    """Wait until a process has something to do."""
    before = computed(pid)
    until(lambda: computed(pid) > before + 10 or None, 20)


def test_every_kind_is_read_by_its_name_or_by_what_it_is_said_to_be(made: Callable[..., Extractor]):
    extractor = made()
    works(extractor)
    for data, name in (
        (b"<p>word", "a.html"),
        (b"From: word\n\nx", "a.eml"),
        (pdf_of(["word"]), "a.pdf"),
        (docx_of(lambda document: document.add_paragraph("word")), "a.docx"),
        (xlsx_of(lambda book: book.add_worksheet().write(0, 0, "word")), "a.xlsx"),
        (b"word", "a.md"),
        (b"word", "a.txt"),
    ):
        read = extractor.extracted(data, name)
        assert isinstance(read, Extracted), (name, read)
        assert "word" in read.text
    assert isinstance(extractor.extracted(b"<p>x", "noname", "text/html; charset=utf-8"), Extracted)
    assert reason(extractor, b"x", "a.exe") == "unsupported_type"
    assert reason(extractor, b"\xff", "a.txt") == "not_text"


def test_plain_texts_and_refusals_start_no_child(made: Callable[..., Extractor]):
    extractor = made(size=100)
    before = readers()
    assert isinstance(extractor.extracted(b"# t", "a.md"), Extracted)
    assert reason(extractor, bytes(101), "a.pdf") == "too_large"
    assert reason(extractor, bytes(101), "a.md") == "too_large"
    assert reason(extractor, b"x", "a.doc") == "unsupported_type"
    assert readers() == before


def test_a_file_that_takes_more_processor_time_than_it_may_ends_and_the_next_is_read(made: Callable[..., Extractor]):
    extractor = made(cpu_s=1)
    works(extractor)
    began = time.monotonic()
    assert reason(extractor, ENDLESS, "a.html") == "timed_out"
    assert time.monotonic() - began < 15
    works(extractor)


def test_a_file_that_takes_longer_than_it_may_ends_and_the_next_is_read(made: Callable[..., Extractor]):
    extractor = made(wall_s=0.5, cpu_s=100)
    works(extractor)
    began = time.monotonic()
    assert reason(extractor, ENDLESS, "a.html") == "timed_out"
    assert time.monotonic() - began < 5
    works(extractor)


def wide(book: Any) -> None:
    sheet = book.add_worksheet()
    sheet.write(0, 0, "x")
    sheet.write(1_048_575, 16_383, "y")


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (lambda: xlsx_of(wide), "a.xlsx"),
        (lambda: b"<p>x" * 1_500_000, "a.html"),
        (lambda: docx_with("<w:p/>" * 6_000_000), "a.docx"),
    ],
    ids=["a sheet of seventeen billion cells", "a page of a million parts", "a document of six million paragraphs"],
)
def test_a_file_that_takes_more_memory_than_it_may_is_told_and_the_next_is_read(
    write: Callable[[], bytes], name: str, made: Callable[..., Extractor]
):
    extractor = made(memory=300_000_000, ratio=10_000)
    assert reason(extractor, write(), name) == "out_of_memory"
    works(extractor)


@pytest.mark.parametrize(
    ("by", "told"),
    [(signal.SIGSEGV, "corrupt"), (signal.SIGABRT, "out_of_memory"), (signal.SIGKILL, "out_of_memory")],
)
def test_a_child_that_breaks_over_a_file_is_told_and_the_next_is_read(
    by: signal.Signals, told: str, made: Callable[..., Extractor]
):
    extractor = made()
    works(extractor)
    (reader,) = readers()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(extractor.extracted, ENDLESS, "a.html")
        computes(reader)
        os.kill(reader, by)
        answer = asked.result(10)
    assert isinstance(answer, Unextracted)
    assert answer.reason == told
    works(extractor)
    assert reader not in readers()


def test_a_child_that_was_ended_between_two_files_costs_neither(made: Callable[..., Extractor]):
    extractor = made()
    works(extractor)
    (reader,) = readers()
    os.kill(reader, signal.SIGKILL)
    os.waitid(os.P_PID, reader, os.WEXITED | os.WNOWAIT)
    works(extractor)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        HEADER.pack(3) + b"abc",
        HEADER.pack(100) + b"half",
        framed(Extracted("x" * 4_000_001, "t", "m")),
        framed(Extracted("e\u0301", "t", "m")),
        framed(Extracted("abc", "t", "m", (Piece(0, 4, "p"),))),
        framed(Extracted("abc", "t", "m", (Piece(2, 3, "p"), Piece(0, 1, "q")))),
        framed(Extracted("abc", "t", "m", (Piece(-1, 1, "p"),))),
    ],
    ids=["nothing", "garbage", "half", "too long", "unnormalised", "beyond", "unsorted", "negative"],
)
def test_what_no_sound_child_says_is_not_believed(
    answer: bytes, made: Callable[..., Extractor], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "answer").write_bytes(answer)
    forger = tmp_path / "forger"
    forger.write_text(f"#!/bin/sh\nhead -c 4 >/dev/null\ncat {tmp_path / 'answer'}\n")
    forger.chmod(0o755)
    extractor = made(wall_s=5)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(forger))
        assert reason(extractor, b"a,b", "a.csv") == "corrupt"
    works(extractor)


def test_an_answer_that_is_too_long_is_not_waited_for(
    made: Callable[..., Extractor], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    forger = tmp_path / "forger"
    forger.write_text("#!/bin/sh\nprintf '\\377\\377\\377\\377'\nexec cat >/dev/null\n")
    forger.chmod(0o755)
    extractor = made(wall_s=1)
    monkeypatch.setattr(process, "STARTS_WITHIN_S", 1.0)
    monkeypatch.setattr(sys, "executable", str(forger))
    assert reason(extractor, b"a,b", "a.csv") == "corrupt"


def test_the_child_has_no_descriptors_surroundings_or_rights_of_ours(made: Callable[..., Extractor], tmp_path: Path):
    extractor = made()
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        works(extractor)
        (reader,) = readers()
        proc = Path(f"/proc/{reader}")
        open_files = [os.readlink(proc / "fd" / number) for number in os.listdir(proc / "fd")]
        assert str(tmp_path / "held") not in open_files
        assert len(open_files) <= 5
        assert all(name == "/dev/null" or name.startswith("pipe:") for name in open_files), open_files
        names = {line.partition("=")[0] for line in (proc / "environ").read_text().split("\0") if line}
        assert names == {"PYTHONPATH", "LC_ALL", "MALLOC_ARENA_MAX"}
        assert os.readlink(proc / "cwd") == "/"
        assert "NoNewPrivs:\t1" in (proc / "status").read_text()
        limits = {line[:26].strip(): line[26:].split()[:2] for line in (proc / "limits").read_text().splitlines()}
        assert limits["Max address space"] == [str(Limits().memory)] * 2
        assert limits["Max file size"] == ["0", "0"]
        assert limits["Max core file size"] == ["0", "0"]
        assert limits["Max open files"] == ["16", "16"]
        assert 0 < int(limits["Max cpu time"][0]) <= Limits().cpu_s + 10


def test_the_child_ends_when_nothing_is_asked_for_a_while_and_after_so_many_files(made: Callable[..., Extractor]):
    extractor = made(idle_s=0.2, files=2)
    works(extractor)
    (first,) = readers()
    until(lambda: True if not readers() else None)
    works(extractor)
    (second,) = readers()
    works(extractor)
    works(extractor)
    (third,) = readers()
    assert len({first, second, third}) == 3


@pytest.mark.guarantee("4.21")
def test_two_hundred_files_from_many_threads_leave_nothing_behind(made: Callable[..., Extractor]):
    extractor = made(files=50)
    works(extractor)

    def held() -> tuple[int, int, int]:
        return len(os.listdir("/proc/self/fd")), len(children()), threading.active_count()

    before = held()
    files = [(b"<p>seen", "a.html"), (pdf_of(["seen"]), "a.pdf"), (b"seen,x", "a.csv"), (b"broken", "a.docx")]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: extractor.extracted(*files[n % 4]), range(200)))
    for n, answer in enumerate(answers):
        assert isinstance(answer, Unextracted) if n % 4 == 3 else "seen" in getattr(answer, "text", "")
    assert held() == before
    extractor.close()
    assert readers() == []


def test_a_closed_extractor_reads_no_more(made: Callable[..., Extractor]):
    extractor = made()
    works(extractor)
    extractor.close()
    extractor.close()
    with pytest.raises(Unavailable):
        extractor.extracted(b"a,b", "a.csv")
    made().close()


PARENT = """
import sys, threading
from sophia.extraction.child import Extractor
extractor = Extractor()
extractor.extracted(b"a,b", "a.csv")
if sys.argv[1] == "busy":
    threading.Thread(target=extractor.extracted, args=(b"<div>" * 200_000, "a.html"), daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("state", ["busy", "idle"])
def test_a_killed_parent_takes_its_child_along(state: str):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert parent.stdin
    assert parent.stdout
    try:
        assert parent.stdout.readline() == b"ready\n"
        (reader,) = readers(parent.pid)
        if state == "busy":
            computes(reader)
        parent.kill()
        parent.wait()
        until(lambda: True if not Path(f"/proc/{reader}/cmdline").exists() else None, 2)
    finally:
        parent.kill()
        parent.wait()
        parent.stdin.close()
        parent.stdout.close()


def test_the_libraries_of_the_formats_are_imported_in_the_child_alone():
    program = (
        "import sys, sophia.daemon, sophia.extraction.child as c\n"
        "e = c.Extractor(); e.extracted(b'a,b', 'a.csv'); e.close()\n"
        "heavy = ('docx', 'pptx', 'lxml', 'PIL', 'pypdfium2', 'python_calamine', 'selectolax')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"


def test_what_breaks_here_is_told_to_who_asked_and_to_nobody_else(
    made: Callable[..., Extractor], monkeypatch: pytest.MonkeyPatch
):
    extractor = made()

    def fails(_: object) -> bytes:
        raise RuntimeError("no frame")

    with monkeypatch.context() as patch:
        patch.setattr(child_module, "framed", fails)
        with pytest.raises(RuntimeError, match="no frame"):
            extractor.extracted(b"a,b", "a.csv")
    works(extractor)


def test_a_deck_is_read_in_the_child(made: Callable[..., Extractor]):
    def write(deck: Any) -> None:
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "word"

    assert isinstance(made().extracted(pptx_of(write), "a.pptx"), Extracted)
