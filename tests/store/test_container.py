"""A backup is exactly what was written, or it is refused by name and nothing comes of it."""

import io
import random
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sophia.store import container
from sophia.store.container import BackupDamaged, Manifest, archive
from sophia.store.verify import unheard
from tests.support.backups import made
from tests.support.house import house


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a small house."""
    path = tmp_path_factory.mktemp("kept") / "sophia.backup"
    with house() as home:
        home.entity("one")
        made(home, path)
    return path


def taken(path: Path, folder: Path) -> Manifest:
    """What the backup comes to, with its databases in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with archive(path) as found:
        found.take(folder, unheard)
        return found.manifest


def changed(backup: Path, to: Path, change: Callable[[bytearray], None]) -> Path:
    content = bytearray(backup.read_bytes())
    change(content)
    to.write_bytes(content)
    return to


def test_a_backup_is_an_archive_that_other_tools_can_list_and_check(backup: Path, tmp_path: Path):
    with tarfile.open(backup) as told:
        assert told.getnames() == ["manifest.json", "manifest.json.sha256", "state.db", "ops.db"]
        assert {one.mode for one in told} == {0o600}
        told.extractall(tmp_path, filter="data")
    subprocess.run(["sha256sum", "-c", "manifest.json.sha256"], cwd=tmp_path, check=True, capture_output=True)
    manifest = taken(backup, tmp_path / "t")
    for part in manifest.parts:
        content = (tmp_path / part.name).read_bytes()
        assert content == (tmp_path / "t" / part.name).read_bytes()
        assert not content.startswith(b"SQLite format 3")
        assert (tmp_path / "t" / part.name).stat().st_mode & 0o777 == 0o600


@pytest.mark.guarantee("4.26")
def test_no_flipped_bit_goes_unnoticed(backup: Path, tmp_path: Path):
    size = backup.stat().st_size
    chance = random.Random(1)
    whole = taken(backup, tmp_path / "t")
    begins = size - sum(512 + part.size + -part.size % 512 for part in whole.parts) - 1024
    places = [*range(0, begins, 7), *(size - n for n in (1, 600, 1024)), *chance.choices(range(begins, size), k=60)]
    for place in places:

        def flip(content: bytearray, place: int = place) -> None:
            content[place] ^= 1 << chance.randrange(8)

        with pytest.raises(BackupDamaged):
            taken(changed(backup, tmp_path / "b", flip), tmp_path / "t")


@pytest.mark.guarantee("4.26")
def test_what_was_cut_off_or_added_to_is_refused(backup: Path, tmp_path: Path):
    size = backup.stat().st_size
    for kept in (0, 1, 511, 512, 700, 1024, 2047, 2048, 5000, size // 2, size - 1025, size - 1024, size - 1):

        def cut(content: bytearray, kept: int = kept) -> None:
            del content[kept:]

        with pytest.raises(BackupDamaged):
            taken(changed(backup, tmp_path / "b", cut), tmp_path / "t")
    with pytest.raises(BackupDamaged, match="cut off or added to"):
        taken(changed(backup, tmp_path / "b", lambda content: content.extend(b"x")), tmp_path / "t")


def test_damage_is_told_by_the_name_of_what_is_damaged(backup: Path, tmp_path: Path):
    parts = taken(backup, tmp_path / "t").parts
    ops_ends = backup.stat().st_size - 1024 - -parts[1].size % 512
    state_ends = ops_ends - parts[1].size - 512 - -parts[0].size % 512

    def flip(at: int) -> Callable[[bytearray], None]:
        def flipped(content: bytearray) -> None:
            content[at] ^= 1

        return flipped

    for at, told in (
        (state_ends - 1, "state.db is not what was written"),
        (ops_ends - 1, "ops.db is not what was written"),
        (state_ends - parts[0].size - 500, "damaged before its state.db"),
        (600, "manifest of the backup is not what"),
        (2, "no backup of Sophia's"),
    ):
        with pytest.raises(BackupDamaged, match=told):
            taken(changed(backup, tmp_path / "b", flip(at)), tmp_path / "t")


def packed(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    """An archive as somebody else would make it."""
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as out:
        for told, content in members:
            told.size = len(content)
            out.addfile(told, io.BytesIO(content))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    told = tarfile.TarInfo(name)
    told.mode, told.type = 0o600, kind
    return told


@pytest.mark.guarantee("4.26")
@pytest.mark.parametrize("name", ["../state.db", "/tmp/state.db", "state.db/../../x", "other.db", "ops.db"])
@pytest.mark.parametrize("whose", ["header", "manifest", "both"])
def test_nothing_in_a_backup_can_name_a_place_of_its_own(backup: Path, tmp_path: Path, name: str, whose: str):
    """A forger who could even compute every hash gets no other file written than the two that there are."""
    manifest = taken(backup, tmp_path / "t")
    told = msgspec.to_builtins(manifest)
    if whose != "header":
        told["parts"][0]["name"] = name
    text = msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n"
    databases = [(tmp_path / "t" / part.name).read_bytes() for part in manifest.parts]
    forged = packed(
        tmp_path / "b",
        (member("manifest.json"), text),
        (member("manifest.json.sha256"), container._checksum(text)),
        (member(name if whose != "manifest" else "state.db"), databases[0]),
        (member("ops.db"), databases[1]),
    )
    forged.write_bytes(forged.read_bytes().rstrip(b"\0"))
    size = forged.stat().st_size
    forged.write_bytes(forged.read_bytes() + bytes(-size % 512 + 1024))
    (tmp_path / "inner").mkdir()
    before = sorted(path for path in tmp_path.rglob("*") if "inner" not in path.parts)
    with pytest.raises(BackupDamaged), archive(forged) as found:
        found.take(tmp_path / "inner", unheard)
    assert sorted(path for path in tmp_path.rglob("*") if "inner" not in path.parts) == before
    assert {path.name for path in (tmp_path / "inner").iterdir()} <= {"state.db", "ops.db"}


@pytest.mark.guarantee("4.26")
@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_only_ordinary_members_are_read(backup: Path, tmp_path: Path, kind: bytes):
    with (
        pytest.raises(BackupDamaged, match="no backup"),
        archive(packed(tmp_path / "b", (member("manifest.json", kind), b""))),
    ):
        pass


def test_a_manifest_of_a_newer_format_is_refused_in_words(backup: Path, tmp_path: Path):
    told = msgspec.to_builtins(taken(backup, tmp_path / "t")) | {"version": 2}
    text = msgspec.json.encode(told)
    forged = packed(
        tmp_path / "b",
        (member("manifest.json"), text),
        (member("manifest.json.sha256"), container._checksum(text)),
    )
    with pytest.raises(BackupDamaged, match="newer Sophia"), archive(forged):
        pass
