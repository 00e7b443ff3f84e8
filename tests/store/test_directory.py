import errno
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sophia.core.refusals import DatadirUntrusted
from sophia.store.directory import Trusted, close_files, trusted
from sophia.store.ownership import acquire, release

FOREIGNER = 65534
Opened = Callable[[Path], Trusted]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    directory = tmp_path / "parent" / "data"
    directory.mkdir(parents=True)
    directory.chmod(0o700)
    return directory


@pytest.fixture
def opened() -> Iterator[Opened]:
    held: list[int] = []

    def open_(path: Path) -> Trusted:
        directory = trusted(path)
        held.append(directory.fd)
        return directory

    yield open_
    for fd in held:
        os.close(fd)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.guarantee("L9")
@pytest.mark.parametrize("mode", [0o755, 0o750, 0o711])
def test_a_directory_that_others_could_read_is_tightened_with_one_notice(data: Path, mode: int):
    (data / "own").touch()
    data.chmod(mode)
    owned = acquire(data)
    release(owned)
    assert mode_of(data) == 0o700
    assert owned.notices == (f"data directory changed from mode {mode:04o} to 0700",)


def test_a_directory_that_its_owner_could_not_write_is_put_right(data: Path, opened: Opened):
    data.chmod(0o500)
    assert opened(data).notices == ("data directory changed from mode 0500 to 0700",)
    assert mode_of(data) == 0o700


@pytest.mark.guarantee("L9")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_directory_that_others_could_write_is_tightened_when_all_in_it_is_its_owners(
    data: Path, opened: Opened, mode: int
):
    (data / "log").mkdir()
    (data / "log" / "sophia.log").touch()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(data / "sophia.sock"))
    data.chmod(mode)
    opened(data)
    assert mode_of(data) == 0o700


@as_root
@pytest.mark.guarantee("L10")
@pytest.mark.parametrize("entry", ["planted", "log/planted", "log"])
def test_a_directory_that_others_could_write_and_did_is_refused(data: Path, entry: str):
    (data / "log").mkdir()
    if entry != "log":
        (data / entry).touch()
    os.chown(data / entry, FOREIGNER, FOREIGNER)
    data.chmod(0o777)
    with pytest.raises(DatadirUntrusted, match=f"belongs to another user .uid {FOREIGNER}") as refused:
        trusted(data)
    assert refused.value.details["entry"] == Path(entry).name
    assert mode_of(data) == 0o777, "nothing is changed in a directory that is refused"


@pytest.mark.guarantee("L10")
@pytest.mark.parametrize(
    ("kind", "why"), [("link", "no ordinary file"), ("fifo", "no ordinary file"), ("hard link", "names")]
)
def test_what_others_could_have_planted_in_the_owners_name_is_refused(data: Path, kind: str, why: str):
    match kind:
        case "link":
            (data / "planted").symlink_to("/etc/passwd")
        case "fifo":
            os.mkfifo(data / "planted")
        case _:
            (data.parent / "own").touch()
            os.link(data.parent / "own", data / "planted")
    data.chmod(0o777)
    with pytest.raises(DatadirUntrusted, match=why):
        trusted(data)


@as_root
@pytest.mark.guarantee("L10")
def test_what_is_planted_while_the_directory_is_being_tightened_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch):
    data.chmod(0o777)
    real = os.fchmod

    def slow(fd: int, mode: int) -> None:
        (data / "planted").touch()
        os.chown(data / "planted", FOREIGNER, FOREIGNER)
        real(fd, mode)

    monkeypatch.setattr(os, "fchmod", slow)
    with pytest.raises(DatadirUntrusted):
        trusted(data)


@as_root
@pytest.mark.guarantee("L11")
def test_another_users_directory_is_refused(data: Path):
    os.chown(data, FOREIGNER, FOREIGNER)
    with pytest.raises(DatadirUntrusted, match="belongs to another user"):
        trusted(data)


@pytest.mark.guarantee("L11")
def test_a_directory_that_is_a_link_is_refused(data: Path):
    (data.parent / "alias").symlink_to(data)
    for name in ("alias", "alias/"):
        with pytest.raises(DatadirUntrusted, match="is a symbolic link"):
            trusted(data.parent / name)
    (data.parent / "dangling").symlink_to(data.parent / "nowhere")
    with pytest.raises(DatadirUntrusted, match="is a symbolic link"):
        trusted(data.parent / "dangling")
    assert not (data.parent / "nowhere").exists()


@pytest.mark.guarantee("L11")
def test_a_directory_below_a_parent_that_anybody_may_write_to_is_refused(data: Path, opened: Opened):
    data.parent.chmod(0o777)
    with pytest.raises(DatadirUntrusted, match="others may rename"):
        trusted(data)
    data.parent.chmod(0o1777)
    opened(data)


@as_root
@pytest.mark.guarantee("L11")
def test_a_parent_that_only_ones_own_group_may_write_to_is_trusted_and_another_group_is_not(data: Path, opened: Opened):
    data.parent.chmod(0o775)
    opened(data)
    os.chown(data.parent, -1, FOREIGNER)
    with pytest.raises(DatadirUntrusted, match="others may rename"):
        trusted(data)


@as_root
@pytest.mark.guarantee("L11")
def test_a_parent_of_another_user_is_refused(data: Path):
    os.chown(data.parent, FOREIGNER, FOREIGNER)
    with pytest.raises(DatadirUntrusted, match="holds the data directory and belongs to another user"):
        trusted(data)


def test_what_cannot_be_a_directory_is_refused_in_words(data: Path, monkeypatch: pytest.MonkeyPatch):
    (data / "file").touch()
    (data / "circle").symlink_to(data / "circle")
    for path in (data / "file", data / "file" / "below", data / "circle" / "below", data / "nul\0"):
        with pytest.raises(DatadirUntrusted, match=r"cannot be|no usable path"):
            trusted(path)

    def read_only(self: Path, mode: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    with pytest.raises(DatadirUntrusted, match="cannot be created: Read-only file system"):
        trusted(data / "new")


def test_a_directory_that_cannot_be_put_right_is_refused_in_words(data: Path, monkeypatch: pytest.MonkeyPatch):
    def immutable(fd: int, mode: int) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    data.chmod(0o755)
    monkeypatch.setattr(os, "fchmod", immutable)
    with pytest.raises(DatadirUntrusted, match="cannot be examined: Operation not permitted"):
        trusted(data)


def test_a_directory_that_another_starter_makes_meanwhile_is_taken_as_it_is(
    data: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
):
    real = Path.mkdir

    def raced(self: Path, mode: int) -> None:
        real(self, mode)
        real(self, mode)

    monkeypatch.setattr(Path, "mkdir", raced)
    opened(data / "new")
    assert mode_of(data / "new") == 0o700


@pytest.mark.guarantee("L12")
def test_databases_sockets_and_logs_that_others_could_read_are_tightened_and_named(data: Path):
    (data / "state.db").touch(0o644)
    (data / "ops.db-wal").touch(0o660)
    (data / "log").mkdir(0o755)
    (data / "log" / "sophia.log").touch(0o644)
    (data / "notes.txt").touch(0o644)
    (data / "old.db").mkdir(0o755)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(data / "sophia.sock"))
    for name, mode in (("state.db", 0o644), ("ops.db-wal", 0o660), ("sophia.sock", 0o666), ("log/sophia.log", 0o644)):
        (data / name).chmod(mode)
    owned = acquire(data)
    release(owned)
    assert owned.notices == (
        "ops.db-wal tightened from 0660 to 0600",
        "sophia.sock tightened from 0666 to 0600",
        "state.db tightened from 0644 to 0600",
        "log tightened from 0755 to 0700",
        "sophia.log tightened from 0644 to 0600",
    )
    assert [mode_of(data / name) for name in ("state.db", "ops.db-wal", "sophia.sock", "log/sophia.log")] == [0o600] * 4
    assert mode_of(data / "log") == 0o700
    assert mode_of(data / "notes.txt") == 0o644, "what is not Sophia's is left alone"


@pytest.mark.parametrize("how", ["link", "hard link"])
def test_a_database_that_another_directory_could_share_is_refused(data: Path, how: str):
    (data.parent / "other.db").touch()
    (os.symlink if how == "link" else os.link)(data.parent / "other.db", data / "state.db")
    with pytest.raises(DatadirUntrusted, match=r"holds state\.db, which"):
        acquire(data)
    release(acquire(data.parent / "elsewhere"))


@pytest.mark.guarantee("L12")
def test_a_log_folder_that_is_a_link_or_anothers_is_refused(data: Path):
    (data / "log").symlink_to(data.parent)
    with pytest.raises(DatadirUntrusted, match="no ordinary directory as its log"):
        acquire(data)


@as_root
def test_a_log_folder_of_another_user_is_refused(data: Path):
    (data / "log").mkdir()
    os.chown(data / "log", FOREIGNER, FOREIGNER)
    with pytest.raises(DatadirUntrusted, match="belongs to another user"):
        acquire(data)


def test_a_file_that_vanishes_meanwhile_is_nothing_to_tighten(
    data: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
):
    place = opened(data)
    monkeypatch.setattr(os, "listdir", lambda _: ["state.db-wal"])
    assert close_files(place) == ()
