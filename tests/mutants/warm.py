"""A run of pytest over a copy of the project, forked from a process that has everything else imported already.

What is imported is half the time of a short test.
"""

import multiprocessing
import os
import sys
from pathlib import Path

import pytest

IMPORTED = [
    "pytest", "hypothesis",
    "hypothesis.strategies", "apsw", "asyncio", "click.testing", "cryptography.hazmat.primitives.ciphers.aead",
    "email.message", "http.client", "httptools", "msgspec.inspect", "msgspec.json", "ssl", "uvicorn.main", "uvloop",
]  # fmt: skip
"""Nothing of the project's own: each copy brings that along."""
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(IMPORTED)


def ran(directory: Path, test: str, within_s: float) -> tuple[int | None, str]:
    """The exit code of pytest over this one test of a copy, and all that was printed; ended after so many seconds."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST", "SOPHIA", "GIT"))
    }
    kept |= {
        "PYTHONPATH": os.pathsep.join(_paths(directory)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    process = _forks.Process(target=_run, args=(directory, test, kept))
    with pytest.MonkeyPatch.context() as patch:  # the process to fork from is begun in this environment
        for name in os.environ.keys() - kept.keys():
            patch.delenv(name)
        process.start()
    process.join(within_s)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode, (directory / "printed").read_text(encoding="utf-8", errors="replace")


def _paths(directory: Path) -> list[str]:
    return [str(directory / "src"), str(directory)]


def _run(directory: Path, test: str, environ: dict[str, str]) -> None:
    printed = os.open(directory / "printed", os.O_WRONLY | os.O_CREAT)
    for standard in (1, 2):
        os.dup2(printed, standard)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environ)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("sophia", "tests")]:
        del sys.modules[name]
    sys.path[:0] = _paths(directory)
    sys.dont_write_bytecode = True
    code = pytest.main(["-qx", "--color=no", "-p", "pytest_timeout", "-p", "no:cacheprovider", test])
    sys.stdout.flush()
    os._exit(code)
