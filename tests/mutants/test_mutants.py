"""Each guard is taken away in turn, and the test that stands for it has to notice."""

import compileall
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants import warm

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PATCHES = sorted(Path(__file__).parent.glob("*.patch"))
COPIED = ("src", "tests", "tools", "pyproject.toml")


@dataclass(frozen=True)
class Verdict:
    """Whether the test noticed that its guard was gone, and what was seen."""

    noticed: bool
    seen: str


def compiled(directory: Path) -> Path:
    """A copy of the project that is compiled already, which is half of a short test's time."""
    for name in COPIED:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, directory / name)
    for name in ("src", "tests"):
        compileall.compile_dir(directory / name, quiet=2)
    return directory


def verdict(patch: str, directory: Path, root: Path) -> Verdict:
    """What the test named in the patch's first line says about the project in `root` with the patch applied."""
    named = re.match(r"# test: (\S.*)\n", patch)
    if not named:
        return Verdict(noticed=False, seen="The first line of a patch is `# test: <pytest node id>`.")
    changed = {Path(name) for name in re.findall(r"^--- a/(\S+)$", patch, re.MULTILINE)}
    for name in COPIED:
        _laid(Path(name), directory, root, changed)
    applied = subprocess.run(
        ["git", "apply", "-C1", "--whitespace=nowarn", "-"], cwd=directory, input=patch, capture_output=True, text=True,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(directory.parent)},  # a repository around it is not meant
        check=False,
    )  # fmt: skip
    if applied.returncode:
        return Verdict(noticed=False, seen=f"The patch does not apply any more:\n{applied.stderr}")
    code, printed = warm.ran(directory, named[1].strip(), within_s=100)
    noticed = code == 1 and re.search(r"^\d+ failed", printed, re.MULTILINE) is not None
    return Verdict(noticed, printed)


def _laid(at: Path, directory: Path, root: Path, changed: set[Path]) -> None:
    """Put what is changed there as a copy, the folders that lead to it as folders, and all else as links."""
    if at in changed:
        shutil.copy(root / at, directory / at)
    elif any(at in path.parents for path in changed):
        (directory / at).mkdir()
        for each in (root / at).iterdir():
            _laid(at / each.name, directory, root, changed)
    else:
        (directory / at).symlink_to(root / at)


@pytest.mark.parametrize("patch", PATCHES[::4], ids=lambda patch: patch.stem)
def test_a_guard_that_is_taken_away_is_missed(patch: Path, tmp_path: Path, template: Path):
    told = verdict(patch.read_text(encoding="utf-8"), tmp_path, template)
    assert told.noticed, told.seen


HARMLESS = """\
# test: tests/core/test_ids.py::test_an_id_is_spelled_as_the_ulid_specification_says
--- a/src/sophia/version.py
+++ b/src/sophia/version.py
@@ -1,2 +1,2 @@
-\"\"\"Which Sophia this is.\"\"\"
+\"\"\"Which Sophia that is.\"\"\"

"""
HARMFUL = """\
# test: tests/core/test_ids.py::test_an_id_is_spelled_as_the_ulid_specification_says
--- a/src/sophia/core/ids.py
+++ b/src/sophia/core/ids.py
@@ -4,4 +4,4 @@

-ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
+ALPHABET = "0123456789abcdefghijklmnopqrstuv"
 _PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)

"""


def test_a_test_that_notices_is_told_from_one_that_does_not(tmp_path: Path, template: Path):
    for name in ("harmful", "harmless"):
        (tmp_path / name).mkdir()
    assert verdict(HARMFUL, tmp_path / "harmful", template).noticed
    harmless = verdict(HARMLESS, tmp_path / "harmless", template)
    assert not harmless.noticed
    assert "1 passed" in harmless.seen
    for changed in ("core/ids.py", "version.py"):
        assert (template / "src/sophia" / changed).read_bytes() == (ROOT / "src/sophia" / changed).read_bytes()


@pytest.mark.parametrize(
    ("patch", "seen"),
    [
        (HARMFUL.replace("# test:", "# about:"), "The first line"),
        (HARMFUL.replace('-ALPHABET = "0', '-ALPHABET = "1'), "does not apply"),
        (HARMFUL.replace("::test_an", "::test_no_such"), "not found"),
        (HARMFUL.replace('+ALPHABET = "', "+ALPHABET = ("), "error"),
    ],
    ids=["no test named", "stale patch", "no such test", "error instead of a failure"],
)
def test_a_patch_that_proves_nothing_is_not_taken_for_one_that_does(
    patch: str, seen: str, tmp_path: Path, template: Path
):
    told = verdict(patch, tmp_path, template)
    assert not told.noticed
    assert seen in told.seen
