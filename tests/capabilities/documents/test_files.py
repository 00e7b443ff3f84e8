"""A path opens nothing but plain files below granted roots, and says the same about everything else."""

import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sophia.capabilities.documents import grants
from sophia.capabilities.documents.files import REFUSED, FileRead, Unread, opened_folder, read
from sophia.capabilities.documents.grants import Protected
from sophia.core.errors import BadArguments, NotPermitted, Unavailable

opened: list[str] = []
on_open: list[Callable[[str], None]] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and on_open:
        opened.append(arguments[0])
        for act in tuple(on_open):
            act(arguments[0])


sys.addaudithook(_watch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    granted = tmp_path / "granted"
    (granted / "sub" / "deep").mkdir(parents=True)
    (granted / "note.md").write_text("hello")
    (granted / "sub" / "deep" / "note.md").write_text("deep")
    (granted / "data" / "log").mkdir(parents=True)
    (granted / "data" / "state.db").write_text("secret")
    (granted / "data" / "log" / "sophia.log").write_text("secret")
    (granted / "keys").mkdir()
    (granted / "keys" / "k.key").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    return granted


@pytest.fixture
def protected(root: Path) -> Protected:
    return Protected((root / "data", root / "keys"))


@pytest.fixture
def seen() -> Iterator[list[str]]:
    """Every name that is opened while the test runs."""
    opened.clear()
    on_open.append(lambda _: None)
    yield opened
    on_open.clear()


def refused(path: str, root: Path, protected: Protected) -> None:
    with pytest.raises(NotPermitted) as told:
        read(path, [root], protected)
    assert (told.value.message, told.value.details, told.value.hint) == (REFUSED, {}, None)


def test_a_file_below_a_root_is_read_whole(root: Path, protected: Protected):
    got = read(f"{root}/sub//./deep/note.md", [Path("/nowhere"), root], protected)
    assert isinstance(got, FileRead)
    assert (got.name, got.data) == ("note.md", b"deep")
    assert got.modified_ns == (root / "sub/deep/note.md").stat().st_mtime_ns


@pytest.mark.guarantee("FS1")
@pytest.mark.parametrize(
    "path",
    [
        "{outside}/secret.md", "{outside}/missing.md", "{root}/missing.md", "{root}/sub", "{root}", "{root}/", "/", "",
        "note.md", "./note.md", "~/note.md", "{root}/../outside/secret.md", "{root}/sub/../note.md", "{root}/..",
        "{root}x/note.md", "{root}/note.md/x", "{root}/note.md/", "/proc/self/environ", "/dev/zero", "/etc/passwd",
        "{root}/data/state.db", "{root}/data/missing", "{root}/data/log/sophia.log", "{root}/keys/k.key", "{root}/data",
        "file://{root}/note.md", "{root}/\ud800", "{root}/" + "x" * 300, "{root}" + "/sub" * 200, "{root}/.ssh/id_rsa",
    ],
)  # fmt: skip
def test_every_other_path_is_refused_in_one_sentence_and_nothing_is_read(
    path: str, root: Path, protected: Protected, seen: list[str]
):
    (root / ".ssh").mkdir()
    (root / ".ssh" / "id_rsa").write_text("secret")
    named = path.format(root=root, outside=root.parent / "outside")
    if named.endswith("note.md/"):
        named += "x"
    refused(named, root, protected)
    assert not {"secret.md", "environ", "zero", "passwd", "state.db", "sophia.log", "k.key", "id_rsa"} & set(seen)


@pytest.mark.guarantee("FS1")
@pytest.mark.parametrize("place", ["last", "inner", "loop", "inside"])
def test_no_link_is_followed_wherever_it_points(place: str, root: Path, protected: Protected, seen: list[str]):
    outside = root.parent / "outside"
    if place == "last":
        (root / "link.md").symlink_to(outside / "secret.md")
    elif place == "inner":
        (root / "link").symlink_to(outside)
    elif place == "loop":
        (root / "link.md").symlink_to("link.md")
    else:
        (root / "link.md").symlink_to(root / "note.md")
    refused(f"{root}/link/secret.md" if place == "inner" else f"{root}/link.md", root, protected)
    assert "secret.md" not in seen


@pytest.mark.guarantee("FS1")
def test_a_root_that_became_a_link_grants_nothing(root: Path, protected: Protected):
    granted = root.parent / "moved"
    granted.symlink_to(root.parent / "outside")
    refused(f"{granted}/secret.md", granted, protected)


@pytest.mark.guarantee("FS1")
def test_a_hard_link_to_a_file_of_the_data_directory_is_refused_and_others_are_not(root: Path, protected: Protected):
    os.link(root / "data" / "state.db", root / "copy.md")
    os.link(root / "data" / "log" / "sophia.log", root / "log.md")
    os.link(root / "note.md", root / "sub" / "same.md")
    refused(f"{root}/copy.md", root, protected)
    refused(f"{root}/log.md", root, protected)
    assert isinstance(read(f"{root}/sub/same.md", [root], protected), FileRead)


@pytest.mark.guarantee("FS1")
def test_the_data_directory_is_known_by_what_it_is_and_not_by_its_name(root: Path, protected: Protected):
    linked = Protected((root / "alias",))
    (root / "alias").symlink_to(root / "data")
    os.link(root / "data" / "state.db", root / "copy.md")
    refused(f"{root}/data/state.db", root, linked)
    refused(f"{root}/copy.md", root, linked)
    refused(f"{root}/data/log/sophia.log", root / "data" / "log", protected)
    missing = Protected((root / "gone",))
    assert isinstance(read(f"{root}/copy.md", [root], missing), FileRead)


@pytest.mark.guarantee("FS1")
def test_a_hard_link_is_refused_where_it_cannot_be_told_what_it_is(
    root: Path, protected: Protected, monkeypatch: pytest.MonkeyPatch
):
    os.link(root / "note.md", root / "same.md")
    monkeypatch.setattr(grants, "MAX_OWN_FILES", 1)
    refused(f"{root}/same.md", root, protected)


@pytest.mark.guarantee("FS1")
def test_pipes_sockets_and_devices_are_neither_opened_nor_waited_for(root: Path, protected: Protected, seen: list[str]):
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as bound:
        at = os.open(root, os.O_RDONLY)
        try:
            bound.bind(f"/proc/self/fd/{at}/sock.md" if sys.platform == "linux" else str(root / "sock.md"))
        finally:
            os.close(at)
        for name in ("pipe.md", "sock.md"):
            refused(f"{root}/{name}", root, protected)
    for device in ("/dev/zero", "/dev/null", "/dev/tty"):
        refused(device, Path("/dev"), protected)
    assert not {"pipe.md", "sock.md", "zero", "null", "tty"} & set(seen)


@pytest.mark.guarantee("FS1")
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc here")
def test_the_kernels_own_files_are_refused_even_below_a_granted_root(protected: Protected, seen: list[str]):
    for path in (
        "/proc/self/environ",
        "/proc/self/status",
        f"/proc/{os.getpid()}/cmdline",
        "/sys/kernel/uevent_seqnum",
    ):
        refused(path, Path("/"), protected)
        refused(path, Path(path).parent, protected)
    assert not {"environ", "status", "cmdline", "uevent_seqnum"} & set(seen)


@pytest.mark.guarantee("FS1")
@pytest.mark.parametrize("name", [".claude.json", ".MCP.json", ".codex/config.toml", ".claude/x.md", "app/mcp.json"])
def test_other_agents_configs_are_refused_below_a_granted_root(name: str, root: Path, protected: Protected):
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("bearer")
    refused(f"{root}/{name}", root, protected)


@pytest.mark.guarantee("FS1")
@pytest.mark.parametrize("path", ["\0", "/granted/note.md\0", "/granted/no\0te.md"])
def test_a_path_with_a_nul_is_a_bad_argument(path: str, root: Path, protected: Protected):
    with pytest.raises(BadArguments) as told:
        read(path, [root], protected)
    assert told.value.argument == "path"


@pytest.mark.guarantee("FS2")
@pytest.mark.parametrize("swap", ["link", "pipe", "hard link"])
def test_what_takes_the_name_between_the_look_and_the_opening_is_not_read(swap: str, root: Path, protected: Protected):
    note = root / "note.md"

    def swapped(name: str) -> None:
        if name == "note.md":
            on_open.clear()
            note.unlink()
            match swap:
                case "link":
                    note.symlink_to(root.parent / "outside" / "secret.md")
                case "pipe":
                    os.mkfifo(note)
                case _:
                    os.link(root / "data" / "state.db", note)

    on_open.append(swapped)
    refused(str(note), root, protected)
    assert not on_open


@pytest.mark.guarantee("FS2")
def test_a_folder_that_is_swapped_for_a_link_on_the_way_is_not_entered(root: Path, protected: Protected):
    def swapped(name: str) -> None:
        if name == "deep":
            on_open.clear()
            os.rename(root / "sub" / "deep", root / "gone")
            (root / "sub" / "deep").symlink_to(root.parent / "outside")

    on_open.append(swapped)
    refused(f"{root}/sub/deep/secret.md", root, protected)
    assert not on_open


@pytest.mark.guarantee("FS3")
def test_a_file_that_is_too_large_is_refused_by_its_size_without_reading_it(root: Path, protected: Protected):
    with open(root / "huge.md", "wb") as huge:
        huge.truncate(10 * 1024**3)
    got = read(f"{root}/huge.md", [root], protected)
    assert isinstance(got, Unread)
    assert got.reason == "too_large"
    assert isinstance(read(f"{root}/note.md", [root], protected, max_bytes=5), FileRead)
    assert isinstance(read(f"{root}/note.md", [root], protected, max_bytes=4), Unread)


@pytest.mark.guarantee("FS3")
def test_a_file_that_grows_faster_than_it_is_read_ends_at_the_bound(
    root: Path, protected: Protected, monkeypatch: pytest.MonkeyPatch
):
    real, growing = os.read, root / "growing.md"
    growing.write_bytes(b"x" * 1000)
    taken: list[int] = []

    def outrun(descriptor: int, length: int) -> bytes:
        with growing.open("ab") as end:
            end.write(b"x" * 2_000_000)
        taken.append(length)
        return real(descriptor, length)

    monkeypatch.setattr(os, "read", outrun)
    got = read(str(growing), [root], protected, max_bytes=5_000_000)
    assert isinstance(got, Unread)
    assert got.reason == "too_large"
    assert len(taken) < 10


@pytest.mark.guarantee("FS3")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "vanished"),
        (lambda path: path.write_text("longer than before"), "changed_while_read"),
        (lambda path: os.truncate(path, 1), "changed_while_read"),
        (lambda path: os.replace(path.parent / "sub/deep/note.md", path), "vanished"),
    ],
    ids=["deleted", "grown", "cut", "replaced"],
)
def test_a_file_that_changes_half_way_is_told_with_its_reason(
    change: Callable[[Path], None], reason: str, root: Path, protected: Protected, monkeypatch: pytest.MonkeyPatch
):
    real = os.read

    def meanwhile(descriptor: int, length: int) -> bytes:
        got = real(descriptor, length)
        if got:
            change(root / "note.md")
        return got

    monkeypatch.setattr(os, "read", meanwhile)
    got = read(f"{root}/note.md", [root], protected)
    assert isinstance(got, Unread)
    assert got.reason == reason
    assert got.message


def test_an_open_folder_stays_the_one_that_was_checked(root: Path, protected: Protected):
    with opened_folder(f"{root}/sub", [root], protected) as folder:
        os.rename(root / "sub", root / "renamed")
        (root / "sub").symlink_to(root.parent / "outside")
        assert os.stat("deep", dir_fd=folder).st_ino == (root / "renamed" / "deep").stat().st_ino
    for path in (f"{root}/note.md", f"{root}/data", f"{root}/missing", str(root.parent), f"{root}/.."):
        with pytest.raises(NotPermitted, match="granted"), opened_folder(path, [root], protected):
            pass
    with opened_folder(str(root), [root], protected) as folder:
        assert os.stat(folder).st_ino == root.stat().st_ino


def test_no_descriptor_is_left_open(root: Path, protected: Protected):
    (root / "link.md").symlink_to(root / "note.md")
    os.link(root / "data" / "state.db", root / "copy.md")
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        read(f"{root}/note.md", [root], protected)
        read(f"{root}/note.md", [root], protected, max_bytes=1)
        for name in ("missing.md", "link.md", "copy.md", "data/state.db", "sub/missing/x"):
            refused(f"{root}/{name}", root, protected)
    assert len(os.listdir("/dev/fd")) == before


def test_running_out_of_descriptors_is_not_told_as_a_refusal(root: Path, tmp_path: Path):
    program = textwrap.dedent(
        f"""
        import os, resource
        from pathlib import Path
        from sophia.capabilities.documents.files import opened_folder, read
        from sophia.capabilities.documents.folders import walk
        from sophia.capabilities.documents.grants import Protected
        from sophia.core.errors import Unavailable
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        try:
            while True:
                os.open("/", os.O_RDONLY)
        except OSError:
            pass
        try:
            read({str(root / "note.md")!r}, [Path({str(root)!r})], Protected(()))
        except Unavailable:
            pass
        os.close(3)
        with opened_folder("/", [Path("/")], Protected(())) as folder:
            try:
                list(walk(folder, Protected(())))
            except Unavailable:
                raise SystemExit(7)
        """
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7
    assert Unavailable.code == "unavailable"
