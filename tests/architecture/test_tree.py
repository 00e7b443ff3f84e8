"""The tree as it is committed: what must not be in it, and how large its parts may be."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
LONGEST = 450


def tracked() -> list[Path]:
    """Every committed or added file that is there; without git, every source file."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    found = [ROOT / name for name in names if name and (ROOT / name).is_file()]
    return found or [path for folder in ("src", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


# Each pattern spells one letter as a class, so that this file does not find itself.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.$}])/(?:wor[k]|home/\w+|Users/\w+|roo[t]|opt/\w+)/[\w.-]+"),
    "the host of a registry": re.compile(r"\b(?:pyp[i]|files\.pythonhoste[d]|registry\.npmj[s])\.org\b"),
    "a mark of unfinished work": re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str):
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        for match in FORBIDDEN[what].finditer(text_of(path))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("what", "start", "end"),
    [
        ("a path of one machine", "see /", "home/ada/notes.txt"),
        ("a path of one machine", "'/", "root/x'"),
        ("the host of a registry", "https://pypi", ".org/simple"),
        ("a mark of unfinished work", "# TO", "DO: this"),
    ],
)
def test_what_must_not_be_there_would_be_found(what: str, start: str, end: str):
    assert FORBIDDEN[what].search(start + end)


def test_source_files_can_be_read_in_one_sitting():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "src").rglob("*.py")
        if (lines := len(text_of(path).splitlines())) > LONGEST
    }
    assert long == {}, "look for the second noun in these"


def test_packages_say_nothing_in_their_init():
    assert [path for path in (ROOT / "src").rglob("__init__.py") if path.stat().st_size] == []


def test_every_module_says_in_one_sentence_what_it_is():
    silent = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if path.name != "__init__.py" and not (ast.get_docstring(ast.parse(text_of(path))) or "").strip()
    ]
    assert silent == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_packages_versions_and_hashes_and_no_address(lock: Path):
    text = text_of(lock)
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


@pytest.mark.skipif(not LOCKS, reason="a copy without locks")
def test_the_locks_satisfy_what_the_project_asks_for():
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
    run, dev = pinned("run.txt"), pinned("dev.txt")
    for wanted, have in ((project["project"]["dependencies"], run), (project["dependency-groups"]["dev"], dev)):
        for requirement in map(Requirement, wanted):
            assert have[canonicalize_name(requirement.name)] in requirement.specifier, f"{requirement}: run `make lock`"
    assert run.items() <= dev.items(), "tests run on the versions that users get"


def pinned(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text_of(ROOT / "requirements" / name), re.MULTILINE))
