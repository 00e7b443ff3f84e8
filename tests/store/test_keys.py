import json
import os
import re
import stat
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2.exceptions import HashingError

from sophia.core.errors import BadArguments
from sophia.core.refusals import DbUnavailable
from sophia.store import durable, keyfile, keyhome, wrapping
from sophia.store.keyhome import Vault, os_keyring
from sophia.store.keys import Keys, home_of, passphrase_holds, rewrap, set_passphrase, unlock
from sophia.store.ownership import Ownership, acquire, release

FOREIGNER = 65534


class Ring:
    """A keyring as an operating system has one, with its moods."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.mood = ""
        self.patience = threading.Event()

    def get_password(self, service: str, username: str, /) -> str | None:
        self._feel()
        return None if self.mood == "forgetful" else self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self._feel()
        self.kept[service, username] = "0" * 64 if self.mood == "lying" else password

    def delete_password(self, service: str, username: str, /) -> None:
        self._feel()
        del self.kept[service, username]

    def _feel(self) -> None:
        if self.mood == "locked":
            self.patience.wait(10)
        if self.mood == "broken":
            raise ConnectionRefusedError("no bus, and here is a secret: " + "ab" * 32)


class House:
    """An owned data directory and what opens it."""

    def __init__(self, owned: Ownership, key_dir: Path) -> None:
        self.owned, self.key_dir = owned, key_dir
        self.ring: Ring | None = None
        self.passphrase: str | None = None

    @property
    def _asking(self) -> Callable[[], str] | None:
        return None if self.passphrase is None else lambda: str(self.passphrase)

    def find(self) -> Vault | None:
        return self.ring

    def unlock(self) -> Keys:
        return unlock(self.owned, self.key_dir, self.ring is not None, self._asking, find_keyring=self.find)

    def rewrap(self, new_passphrase: str | None = None) -> str:
        return rewrap(
            self.owned,
            self.key_dir,
            self.ring is not None,
            self._asking,
            new_passphrase=new_passphrase,
            find_keyring=self.find,
        )

    @property
    def key_json(self) -> Path:
        return self.owned.directory / "key.json"

    @property
    def key_files(self) -> list[Path]:
        return sorted(self.key_dir.glob("*.key"))

    def refused(self, reason: str) -> str:
        with pytest.raises(DbUnavailable) as refusal:
            self.unlock()
        assert refusal.value.details["reason"] == reason
        return refusal.value.message


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    owned = acquire(tmp_path / "data")
    yield House(owned, tmp_path / "config" / "keys")
    release(owned)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyfile, "LOOKED_FOR_S", 0.05)
    monkeypatch.setattr(keyfile, "WAITED_FOR_S", 0.05)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_first_start_makes_keys_and_the_next_one_finds_them(house: House):
    before = os.umask(0)
    try:
        keys = house.unlock()
    finally:
        os.umask(before)
    assert house.unlock() == keys
    assert all(re.fullmatch("[0-9a-f]{64}", text) for text in (keys.state, keys.ops, keys.seal.hex()))
    assert len({keys.state, keys.ops, keys.seal.hex()}) == 3
    assert (keys.home, home_of(house.owned)) == ("file", "file")
    assert [path.name for path in house.key_files] == [f"{keys.key_id}.key"]
    assert [mode_of(path) for path in (house.key_dir, house.key_json, *house.key_files)] == [0o700, 0o600, 0o600]
    assert sorted(os.listdir(house.owned.directory)) == ["key.json", "owner.lock"]


def test_two_data_directories_have_nothing_in_common(house: House, tmp_path: Path):
    other = acquire(tmp_path / "other")
    keys = unlock(other, house.key_dir, keyring_allowed=False)
    release(other)
    mine = house.unlock()
    assert {keys.state, keys.ops, keys.seal, keys.key_id}.isdisjoint({mine.state, mine.ops, mine.seal, mine.key_id})


def test_nothing_that_is_kept_or_shown_contains_a_key(house: House):
    keys = house.unlock()
    owner_key = house.key_files[0].read_text().strip()
    shown = repr(keys) + str(keys) + house.key_json.read_text()
    for secret in (keys.state, keys.ops, keys.seal.hex(), repr(keys.seal), owner_key):
        assert secret not in shown


def test_before_the_first_start_there_is_no_home_and_no_passphrase(house: House):
    assert home_of(house.owned) is None
    assert passphrase_holds(house.owned, "") is False
    with pytest.raises(DbUnavailable, match="start Sophia once"):
        house.rewrap()


def test_keys_are_for_the_owner_only(house: House, tmp_path: Path):
    release(house.owned)
    with pytest.raises(TypeError):
        house.unlock()
    with pytest.raises(TypeError):
        unlock(tmp_path, house.key_dir, keyring_allowed=False)  # type: ignore[arg-type]


@pytest.mark.guarantee("L12")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_could_read_is_refused_until_it_is_rotated(house: House, mode: int):
    keys = house.unlock()
    house.key_files[0].chmod(mode)
    assert "chmod 600" in house.refused("key_exposed")
    exposed = house.key_files[0].read_text()
    assert house.rewrap() == "file"
    assert house.unlock().state == keys.state
    assert exposed not in [path.read_text() for path in house.key_files]
    assert len(house.key_files) == 1


def _linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _made_a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: path.unlink(), "key_missing"),
    "wrong": (lambda path: path.write_text("00" * 32), "key_wrong"),
    "short": (lambda path: path.write_text("00" * 31), "key_damaged"),
    "no hex": (lambda path: path.write_text("zz" * 32), "key_damaged"),
    "no text": (lambda path: path.write_bytes(b"\xff" * 64), "key_damaged"),
    "empty": (lambda path: path.write_text(""), "key_damaged"),
    "link": (_linked, "key_unreadable"),
    "fifo": (_piped, "key_unreadable"),
    "directory": (_made_a_directory, "key_unreadable"),
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_key_that_is_not_the_right_one_is_refused_in_words(house: House, damage: str):
    house.unlock()
    owner_key = house.key_files[0].read_text().strip()
    harm, reason = DAMAGES[damage]
    harm(house.key_files[0])
    with pytest.raises(DbUnavailable) as refusal:
        house.unlock()
    assert refusal.value.details == {"reason": reason}
    told = "".join(traceback.format_exception(refusal.value)) + refusal.value.message
    assert owner_key not in told
    assert "00" * 31 not in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_key_of_another_user_is_refused(house: House):
    house.unlock()
    os.chown(house.key_files[0], FOREIGNER, FOREIGNER)
    house.refused("key_unreadable")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"turn": 1},
        {"home": "elsewhere"},
        {"key_id": "../../etc/passwd"},
        {"wrapped": "00"},
        {"surprise": 1},
        {"kdf": {"salt": "00" * 16, "memory_kib": 10**12}},
    ],
    ids=str,
)
def test_a_key_file_that_says_something_else_opens_nothing(house: House, change: dict[str, object]):
    house.unlock()
    house.key_json.write_text(json.dumps(json.loads(house.key_json.read_text()) | change))
    with pytest.raises(DbUnavailable):
        house.unlock()
    assert house.key_files, "the key is still there, for the right key.json"


@pytest.mark.parametrize("text", ["", "{", "[]", "\xff"])
def test_a_key_file_that_is_no_key_file_is_refused_and_kept(house: House, text: str):
    house.unlock()
    house.key_json.write_text(text)
    assert "backup" in house.refused("key_file_damaged")
    assert house.key_json.read_text() == text


def test_a_lost_key_file_beside_a_database_never_makes_a_new_key(house: House):
    house.unlock()
    house.key_json.unlink()
    (house.owned.directory / "state.db").write_bytes(b"x")
    assert "state.db" in house.refused("key_file_missing")
    assert len(house.key_files) == 1


def test_a_key_directory_that_others_could_read_is_tightened_and_named(house: House):
    house.unlock()
    house.key_dir.chmod(0o755)
    assert house.unlock().notices == ("key directory changed from mode 0755 to 0700",)
    assert mode_of(house.key_dir) == 0o700


def test_a_key_directory_that_cannot_be_trusted_is_refused(house: House, tmp_path: Path):
    house.key_dir.parent.mkdir()
    house.key_dir.symlink_to(tmp_path)
    assert "symbolic link" in house.refused("key_dir_untrusted")


def test_a_disk_that_takes_no_key_is_refused_and_nothing_is_left(house: House, monkeypatch: pytest.MonkeyPatch):
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable, "_sync", full)
    assert "No space left" in house.refused("key_unreadable")
    monkeypatch.undo()
    assert os.listdir(house.owned.directory) == ["owner.lock"]
    house.unlock()


class PowerCut(BaseException):
    """The process is gone."""


def _cut_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The power goes when the `count`-th step of writing durably is done."""
    steps = iter(range(1, 100))
    for name in ("stage", "commit", "remove"):
        real = getattr(durable, name)

        def step(*arguments: object, real: Callable[..., None] = real) -> None:
            real(*arguments)
            if next(steps) == count:
                raise PowerCut

        monkeypatch.setattr(durable, name, step)


@pytest.mark.parametrize("count", range(1, 5))
def test_a_first_start_that_is_cut_off_is_gone_on_with(house: House, count: int, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as cut:
        _cut_after(count, cut)
        with pytest.raises(PowerCut):
            house.unlock()
    keys = house.unlock()
    assert house.unlock() == keys
    assert [path.name for path in house.key_files] == [f"{keys.key_id}.key"]
    assert sorted(os.listdir(house.owned.directory)) == ["key.json", "owner.lock"]
    assert len(os.listdir(house.key_dir)) == 1


@pytest.mark.parametrize("count", range(1, 6))
def test_a_rotation_that_is_cut_off_leaves_one_key_that_opens(
    house: House, count: int, monkeypatch: pytest.MonkeyPatch
):
    keys = house.unlock()
    with monkeypatch.context() as cut:
        _cut_after(count, cut)
        with pytest.raises(PowerCut):
            house.rewrap()
    assert house.unlock() == keys
    assert house.unlock() == keys
    assert len(house.key_files) == 1
    assert len(os.listdir(house.key_dir)) == 1
    assert sorted(os.listdir(house.owned.directory)) == ["key.json", "owner.lock"]


def test_a_rotation_changes_the_owners_key_and_not_the_databases(house: House):
    keys = house.unlock()
    before = (house.key_json.read_text(), house.key_files[0].read_text())
    for _ in range(3):
        house.rewrap()
    assert house.unlock() == keys
    assert house.key_json.read_text() != before[0]
    assert [path.read_text() for path in house.key_files] != [before[1]]
    assert len(house.key_files) == 1


def test_a_passphrase_opens_and_nothing_else_does(house: House):
    keys = house.unlock()
    set_passphrase(house.owned, house.key_dir, keyring_allowed=False, new_passphrase="caf\u00e9 au lait")
    assert house.key_files == []
    assert home_of(house.owned) == "passphrase"
    house.refused("passphrase_needed")
    house.passphrase = "cafe au lait"
    house.refused("passphrase_wrong")
    house.passphrase = "cafe\u0301 au lait"
    opened = house.unlock()
    assert (opened.state, opened.home) == (keys.state, "passphrase")
    assert "au lait" not in house.key_json.read_text()
    assert passphrase_holds(house.owned, "caf\u00e9 au lait")
    assert not passphrase_holds(house.owned, "Caf\u00e9 au lait")
    assert not passphrase_holds(house.owned, "")
    assert house.rewrap() == "file"
    house.passphrase = None
    assert house.unlock().state == keys.state
    assert not passphrase_holds(house.owned, "caf\u00e9 au lait")


def test_a_passphrase_costs_what_was_written_down_with_it(house: House):
    house.unlock()
    house.rewrap("pass")
    stored = json.loads(house.key_json.read_text())
    assert stored["kdf"] | {"salt": ""} == {
        "salt": "",
        "algorithm": "argon2id",
        "passes": 3,
        "memory_kib": 65536,
        "lanes": 4,
    }
    stored["kdf"]["passes"] = 1
    house.key_json.write_text(json.dumps(stored))
    house.passphrase = "pass"
    house.refused("passphrase_wrong")


@pytest.mark.parametrize("blank", ["", "  \t"])
def test_a_blank_passphrase_is_none(house: House, blank: str):
    keys = house.unlock()
    with pytest.raises(BadArguments, match="blank"):
        house.rewrap(blank)
    assert house.unlock() == keys


def test_a_passphrase_that_cannot_be_checked_is_not_called_wrong(house: House, monkeypatch: pytest.MonkeyPatch):
    house.unlock()
    house.rewrap("pass")
    house.passphrase = "pass"

    def starving(*arguments: object, **options: object) -> bytes:
        raise HashingError("Memory allocation error")

    monkeypatch.setattr(wrapping, "hash_secret_raw", starving)
    house.refused("passphrase_unchecked")
    with pytest.raises(DbUnavailable, match="memory"):
        passphrase_holds(house.owned, "pass")


def test_a_lost_key_file_is_not_made_of_what_a_passphrase_had_staged(house: House):
    house.unlock()
    house.rewrap("pass")
    house.key_json.rename(house.key_json.with_name("key.json.new"))
    (house.owned.directory / "ops.db").write_bytes(b"x")
    house.refused("key_file_missing")
    assert house.key_json.with_name("key.json.new").exists()


def test_what_is_staged_under_the_key_in_use_is_swept_without_the_key(house: House):
    keys = house.unlock()
    house.key_json.with_name("key.json.new").write_bytes(house.key_json.read_bytes())
    assert house.unlock() == keys
    assert house.unlock() == keys
    assert not house.key_json.with_name("key.json.new").exists()


def test_a_keyring_keeps_the_key_where_there_is_one(house: House):
    house.ring = Ring()
    keys = house.unlock()
    assert keys.home == "keyring"
    assert house.key_files == []
    assert list(house.ring.kept) == [("sophia", keys.key_id)]
    assert house.unlock() == keys
    assert house.rewrap() == "keyring"
    assert house.unlock() == keys
    ((slot, owner_key),) = house.ring.kept.items()
    assert slot == ("sophia", f"{keys.key_id}.1")
    house.ring.kept.clear()
    keyhome.InKeyring(house.ring, 1).drop("what is not there")
    house.refused("key_missing")
    house.ring.kept["sophia", f"{keys.key_id}.1"] = owner_key
    ring, house.ring = house.ring, None
    assert "SOPHIA_KEYRING" in house.refused("keyring_forbidden")
    house.ring = ring
    assert house.rewrap("pass") == "passphrase"
    assert ring.kept == {}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("mood", ["broken", "locked", "lying", "forgetful"])
def test_a_keyring_that_does_not_keep_its_word_neither_stops_nor_holds_up_the_first_start(house: House, mood: str):
    house.ring = Ring()
    house.ring.mood = mood
    keys = house.unlock()
    assert keys.home == "file"
    house.ring.patience.set()
    assert house.unlock() == keys


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("mood", "reason"), [("broken", "keyring_silent"), ("locked", "keyring_silent"), ("forgetful", "key_missing")]
)
def test_a_keyring_that_has_the_key_and_does_not_give_it_is_refused(house: House, mood: str, reason: str):
    house.ring = Ring()
    house.unlock()
    house.ring.mood = mood
    assert "ab" * 32 not in house.refused(reason)
    house.ring.patience.set()


def test_a_keyring_that_is_gone_is_named(house: House):
    house.ring = Ring()
    house.unlock()
    with pytest.raises(DbUnavailable, match="none here to ask"):
        unlock(house.owned, house.key_dir, keyring_allowed=True, find_keyring=lambda: None)


def test_a_first_start_that_was_cut_off_in_the_keyring_is_gone_on_with(house: House, monkeypatch: pytest.MonkeyPatch):
    house.ring = Ring()
    with monkeypatch.context() as cut:
        _cut_after(1, cut)
        with pytest.raises(PowerCut):
            house.unlock()
    (keys,) = {house.unlock() for _ in range(2)}
    assert list(house.ring.kept) == [("sophia", keys.key_id)]


def test_the_operating_systems_keyring_is_only_taken_when_it_is_one(monkeypatch: pytest.MonkeyPatch):
    import keyring

    class Backend(Ring):
        priority = 5.0

    backend = Backend()
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    assert os_keyring() is backend
    backend.priority = 0.5
    assert os_keyring() is None

    def broken() -> None:
        raise RuntimeError("no backend of that name")

    monkeypatch.setattr(keyring, "get_keyring", broken)
    assert os_keyring() is None
    assert keyhome.SERVICE == "sophia"
