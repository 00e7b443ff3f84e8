import copy
import dataclasses
import errno
import json
import os
import pickle
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sophia.core.refusals import LockfileInvalid, LockfileSwapped, LockUnsupported, OwnerLive, Refusal
from sophia.store import lockfile
from sophia.store.lockfile import Hooks
from sophia.store.ownership import Ownership, acquire, proven, release
from tests.support import processes, starter

FOREIGNER = 65534
Start = Callable[..., "subprocess.Popen[str]"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


class Tenancy:
    """A data directory that a test takes, again if it likes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.taken: list[Ownership] = []

    @property
    def lock(self) -> Path:
        return self.directory / "owner.lock"

    def take(self, hooks: Hooks | None = None) -> Ownership:
        owned = acquire(self.directory, hooks=hooks or Hooks())
        self.taken.append(owned)
        return owned

    def take_soon(self) -> Ownership:
        """Once the killed owner is gone: it is not gone the moment it is killed."""

        def attempt() -> Ownership | None:
            try:
                return self.take()
            except OwnerLive:
                return None

        return processes.until(attempt)

    def prepare(self) -> None:
        self.directory.mkdir(mode=0o700)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Tenancy]:
    tenancy = Tenancy(tmp_path / "data")
    yield tenancy
    for owned in tenancy.taken:
        release(owned)


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def run(*arguments: str, before: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        running.append(processes.starter(*arguments, before=before))
        return running[-1]

    yield run
    for process in running:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe
            pipe.close()


def files_of(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in directory.iterdir()}


def test_the_first_start_makes_a_directory_that_only_its_owner_sees(home: Tenancy):
    before = os.umask(0)
    try:
        home.directory = home.directory / "below" / "it"
        owned = home.take()
    finally:
        os.umask(before)
    assert owned.directory == home.directory
    for folder in (home.directory, *home.directory.parents[:2]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.lock.stat().st_mode) == 0o600
    assert owned.notices == ()
    assert "lock=" not in repr(owned)


@pytest.mark.guarantee("L1")
def test_a_second_start_is_refused_with_who_owns_it_and_touches_nothing(home: Tenancy, start: Start):
    home.take()
    (home.directory / "state.db").write_bytes(b"the state")
    before = files_of(home.directory)
    code, errors = processes.ended(start(str(home.directory)))
    told = json.loads(errors)
    assert (code, told["refused"], told["exit"]) == (80, "owner_live", 80)
    assert told["details"]["pid"] == os.getpid()
    assert f"process {os.getpid()}, Sophia 0." in told["message"]
    assert told["details"]["started_at"] in told["message"]
    assert files_of(home.directory) == before


def test_even_one_process_cannot_own_a_directory_twice(home: Tenancy):
    home.take()
    with pytest.raises(OwnerLive):
        home.take()


def test_what_was_released_can_be_taken_again_and_leaves_no_false_owner(home: Tenancy):
    owned = home.take()
    inode = home.lock.stat().st_ino
    release(owned)
    release(owned)
    assert owned.lock_fd == -1
    assert home.lock.read_bytes() == b""
    home.take()
    assert home.lock.stat().st_ino == inode, "the lock file is never unlinked"


@pytest.mark.guarantee("L1", "4.11")
def test_of_twelve_starters_at_once_exactly_one_wins_in_each_of_twenty_rounds(
    home: Tenancy, start: Start, tmp_path: Path
):
    racers = [start() for _ in range(12)]

    def say(told: str) -> None:
        for racer in racers:
            assert racer.stdin
            racer.stdin.write(told + "\n")
            racer.stdin.flush()

    def heard() -> list[str]:
        return [racer.stdout.readline().strip() for racer in racers if racer.stdout]

    assert heard() == ["ready"] * 12
    for round_number in range(20):
        say(str(tmp_path / f"of round {round_number // 2}"))
        assert sorted(heard()) == ["0"] + ["80"] * 11
        say("release")
        assert heard() == ["released"] * 12


def test_a_stopped_owner_is_still_the_owner_and_does_not_respond(home: Tenancy, start: Start):
    holder = start(str(home.directory))
    pid = processes.started(holder)["pid"]
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(OwnerLive, match="not responding") as refused:
        home.take()
    assert refused.value.details["pid"] == pid
    assert refused.value.details["answers"] is False


@pytest.mark.parametrize(("reply", "told"), [(b"\0", "answering"), (b"", "not responding")])
def test_an_owner_is_asked_whether_it_answers(home: Tenancy, reply: bytes, told: str):
    owned = home.take()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(owned.socket_path))
        listening.listen()
        held: list[socket.socket] = []

        def serve() -> None:
            line, _ = listening.accept()
            held.append(line)
            if reply:
                line.recv(4096)
                line.sendall(reply)

        serving = threading.Thread(target=serve)
        serving.start()
        with pytest.raises(OwnerLive, match=told):
            home.take()
        serving.join()
        held[0].close()


@pytest.mark.parametrize(
    "written", [b"", b"{", b"[]", b'{"pid": 2147483647, "version": "1"}', b'{"pid": 0, "version": ""}']
)
def test_an_owner_that_has_not_signed_yet_is_refused_without_a_guess(home: Tenancy, written: bytes):
    home.take()
    home.lock.write_bytes(written)
    with pytest.raises(OwnerLive, match="a process that has not said which") as refused:
        home.take()
    assert refused.value.details["pid"] is None


def test_an_owner_that_may_not_be_signalled_is_named_all_the_same(home: Tenancy, monkeypatch: pytest.MonkeyPatch):
    home.take()
    home.lock.write_bytes(b'{"pid": 1, "version": "9"}')

    def forbidden(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    with pytest.raises(OwnerLive, match="process 1, Sophia 9"):
        home.take()


@pytest.mark.guarantee("L3")
def test_a_killed_owner_leaves_nothing_that_stops_the_next(home: Tenancy, start: Start):
    holder = start(str(home.directory))
    processes.started(holder)
    holder.kill()
    assert home.take_soon().lock_fd >= 0


@pytest.mark.guarantee("L4")
@pytest.mark.parametrize("kind", [kind for kind in starter.CHILDREN if kind != "none"])
def test_a_child_that_outlives_a_killed_owner_does_not_hold_the_lock(home: Tenancy, start: Start, kind: str):
    holder = start(str(home.directory), kind)
    child = processes.started(holder)["child"]
    holder.kill()
    holder.wait()
    try:
        assert home.take_soon().lock_fd >= 0
        os.kill(child, 0)  # it does outlive it
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.guarantee("L4")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # newer Pythons warn of what is tested here
def test_a_forked_child_owns_nothing_and_cannot_take_the_lock_from_its_parent(home: Tenancy):
    owned = home.take()
    child = os.fork()
    if child == 0:
        release(owned)
        try:
            proven(owned)
        except TypeError:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert proven(owned) is owned
    with pytest.raises(OwnerLive):
        home.take()


@pytest.mark.guarantee("L5")
@pytest.mark.parametrize("target", ["own file", "system file", "nothing"])
def test_a_link_in_place_of_the_lock_is_refused_and_its_target_untouched(home: Tenancy, tmp_path: Path, target: str):
    home.prepare()
    aim = {"own file": tmp_path / "own", "system file": Path("/etc/passwd"), "nothing": tmp_path / "nothing"}[target]
    if target == "own file":
        aim.write_bytes(b"precious")
    before = (aim.read_bytes(), aim.stat().st_mtime_ns, aim.stat().st_mode) if aim.exists() else None
    home.lock.symlink_to(aim)
    with pytest.raises(LockfileInvalid):
        home.take()
    assert before == ((aim.read_bytes(), aim.stat().st_mtime_ns, aim.stat().st_mode) if aim.exists() else None)
    assert home.lock.is_symlink()


@as_root
@pytest.mark.guarantee("L6")
def test_another_users_lock_file_is_refused(home: Tenancy):
    home.prepare()
    home.lock.touch(0o600)
    os.chown(home.lock, FOREIGNER, FOREIGNER)
    with pytest.raises(LockfileInvalid, match=f"uid {FOREIGNER}"):
        home.take()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def _hard_link(path: Path) -> None:
    (path.parent / "victim").write_bytes(b"x")
    os.link(path.parent / "victim", path)


LOCKS_THAT_ARE_NONE: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "directory": os.mkdir,
    "socket": _socket,
    "hard link": _hard_link,
    "device": lambda path: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3)),
}


@pytest.mark.guarantee("L7")
@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=as_root if kind == "device" else ()) for kind in LOCKS_THAT_ARE_NONE]
)
def test_a_lock_that_is_no_plain_file_is_refused_without_hanging(home: Tenancy, kind: str):
    home.prepare()
    LOCKS_THAT_ARE_NONE[kind](home.lock)
    with pytest.raises(LockfileInvalid):
        home.take()


def _renamed_over(lock: Path) -> None:
    (lock.parent / "other").touch(0o600)
    (lock.parent / "other").replace(lock)


def _unlinked_and_made(lock: Path) -> None:
    lock.unlink()
    lock.touch(0o600)


def _moved_behind_a_link(lock: Path) -> None:
    lock.rename(lock.parent / "moved")
    lock.symlink_to(lock.parent / "moved")


def _removed(lock: Path) -> None:
    lock.unlink()


def _replaced_by_a_fifo(lock: Path) -> None:
    lock.unlink()
    os.mkfifo(lock)


def _replaced_by_a_directory(lock: Path) -> None:
    lock.unlink()
    lock.mkdir()


SWAPS = [
    _renamed_over,
    _unlinked_and_made,
    _moved_behind_a_link,
    _removed,
    _replaced_by_a_fifo,
    _replaced_by_a_directory,
]


@pytest.mark.guarantee("L8")
@pytest.mark.timeout(10)
@pytest.mark.parametrize("moment", ["between check and open", "between open and lock"])
@pytest.mark.parametrize("swap", SWAPS, ids=lambda swap: swap.__name__)
def test_a_lock_that_is_swapped_while_it_is_taken_is_noticed(home: Tenancy, moment: str, swap: Callable[[Path], None]):
    home.prepare()
    home.lock.touch(0o600)

    def step_in() -> None:
        swap(home.lock)

    between = {
        "between check and open": Hooks(between_check_and_open=step_in),
        "between open and lock": Hooks(between_open_and_lock=step_in),
    }
    with pytest.raises(LockfileSwapped):
        home.take(between[moment])


def test_a_link_that_was_put_in_between_is_not_even_opened(home: Tenancy):
    home.prepare()
    home.lock.touch(0o600)
    opened: list[str] = []
    hooks = Hooks(lambda: _moved_behind_a_link(home.lock), lambda: opened.append("opened"))
    with pytest.raises(LockfileSwapped):
        home.take(hooks)
    assert opened == []


def test_a_system_that_cannot_hold_a_file_unopened_still_notices(home: Tenancy, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lockfile, "_HOLD", None)
    release(home.take())
    with pytest.raises(LockfileSwapped):
        home.take(Hooks(between_check_and_open=lambda: _renamed_over(home.lock)))


def test_a_lock_that_another_starter_makes_meanwhile_is_looked_at_anew(home: Tenancy):
    made: list[str] = []

    def make() -> None:
        if not made:
            home.lock.touch(0o600)
        made.append("looked")

    home.take(Hooks(make))
    assert made == ["looked", "looked"]


def test_a_lock_that_comes_and_goes_for_ever_is_given_up(home: Tenancy, monkeypatch: pytest.MonkeyPatch):
    real = os.open

    def never_there(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "owner.lock":
            raise FileExistsError if flags & os.O_CREAT else FileNotFoundError
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", never_there)
    with pytest.raises(LockfileSwapped, match="again and again"):
        home.take()


@pytest.mark.guarantee("L8")
def test_a_link_that_is_made_at_the_first_start_is_refused(home: Tenancy, tmp_path: Path):
    def make() -> None:
        if not home.lock.is_symlink():
            home.lock.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(LockfileInvalid):
        home.take(Hooks(make))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.guarantee("L15")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EIO])
def test_a_file_system_that_cannot_lock_is_refused(home: Tenancy, number: int):
    def flock(fd: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(LockUnsupported, match=os.strerror(number)):
        home.take(Hooks(flock=flock))


@pytest.mark.guarantee("L15")
def test_a_file_system_that_grants_every_lock_is_refused(home: Tenancy):
    with pytest.raises(LockUnsupported, match="second lock"):
        home.take(Hooks(flock=lambda *_: None))


@pytest.mark.guarantee("L15")
def test_a_file_system_that_locks_only_once_in_a_while_is_refused(home: Tenancy):
    asked: list[int] = []

    def flock(fd: int, operation: int) -> None:
        asked.append(fd)
        if len(asked) > 1:
            raise OSError(errno.ENOLCK, "no more locks")

    with pytest.raises(LockUnsupported):
        home.take(Hooks(flock=flock))


@pytest.mark.guarantee("L15")
def test_a_lock_file_that_cannot_be_made_is_refused_for_what_stops_it(home: Tenancy, monkeypatch: pytest.MonkeyPatch):
    home.prepare()
    real = os.open
    for number, flag, refusal in (
        (errno.EROFS, os.O_CREAT, LockUnsupported),
        (errno.EIO, os.O_PATH, LockUnsupported),
        (errno.EACCES, os.O_CREAT, LockfileInvalid),
    ):
        why = OSError(number, os.strerror(number))

        def refuse(
            path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None, at: int = flag, why: OSError = why
        ) -> int:
            if path == "owner.lock" and flags & at == at:
                raise why
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", refuse)
        with pytest.raises(refusal, match=os.strerror(number)):
            home.take()


def test_a_full_disk_does_not_keep_the_owner_out(home: Tenancy, monkeypatch: pytest.MonkeyPatch):
    def full(fd: int, text: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    assert home.take().lock_fd >= 0


@pytest.mark.guarantee("L17")
def test_nothing_but_acquiring_makes_an_ownership(home: Tenancy, tmp_path: Path):
    owned = home.take()
    with pytest.raises(TypeError, match="acquire"):
        Ownership(tmp_path, (0, 0), (0, 0), (), owned.lock)
    with pytest.raises(TypeError, match="acquire"):
        Ownership(tmp_path, (0, 0), (0, 0), (), owned.lock, object())
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="copied"):
            attempt(owned)
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(owned, directory=tmp_path)


@pytest.mark.guarantee("L17")
def test_only_an_ownership_that_is_held_is_a_proof(home: Tenancy):
    owned = home.take()
    assert proven(owned) is owned
    for pretended in (None, home.directory, 3, object()):
        with pytest.raises(TypeError, match="acquire"):
            proven(pretended)
    release(owned)
    with pytest.raises(TypeError, match="released"):
        proven(owned)


@pytest.mark.guarantee("L18")
def test_other_names_of_the_directory_are_the_same_directory(
    home: Tenancy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home.take()
    (tmp_path / "alias").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = [Path("data"), Path("./data/"), Path("../") / tmp_path.name / "data", tmp_path / "alias" / "data"]
    for name in names:
        with pytest.raises(OwnerLive):
            acquire(name)
    monkeypatch.chdir(home.directory)
    for name in (Path(), Path("../data"), Path("..") / "data" / "." / "."):
        with pytest.raises(OwnerLive):
            acquire(name)


@pytest.mark.guarantee("L18")
def test_a_bind_mount_of_the_directory_is_the_same_directory(home: Tenancy, start: Start, tmp_path: Path):
    home.take()
    (tmp_path / "alias").mkdir(mode=0o700)
    mounted = 'mount --bind "$0" "$1" && shift && exec "$@"'
    inside = ("unshare", "-rm", "sh", "-c", mounted, str(home.directory), str(tmp_path / "alias"))
    code, errors = processes.ended(start(str(tmp_path / "alias"), before=inside))
    assert code == 80, errors


def test_a_refusal_leaves_no_descriptor_open(home: Tenancy):
    home.prepare()
    os.mkfifo(home.lock)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(Refusal):
            home.take()
    assert len(os.listdir("/proc/self/fd")) == before
