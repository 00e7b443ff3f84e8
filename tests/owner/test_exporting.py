"""An export is all of it, in files that other programs read."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.store.rules import RULES
from tests.support.beneath import bare, faults
from tests.support.desk import desk
from tests.support.house import House, house
from tests.support.world import peopled


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(directory=tmp_path) as found:
        yield found


def test_every_row_of_every_journaled_table_is_in_it(home: House, tmp_path: Path):
    peopled(home)
    told = desk(home).ask("export", {"path": str(tmp_path / "out")})
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["tables"] == told["tables"]
    dump = home.dump()
    for name, rule in RULES.items():
        path = tmp_path / "out" / "tables" / f"{name}.jsonl"
        assert path.exists() == rule.journaled
        if rule.journaled:
            lines = path.read_bytes().splitlines()
            assert sorted(tuple(json.loads(line).values()) for line in lines) == sorted(dump[name])
            assert manifest["tables"][name] == {
                "rows": len(lines), "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }  # fmt: skip
    assert manifest["mutations"] == home.databases.state.head.seq
    assert manifest["journal_hash"] == home.databases.state.head.hash
    assert stat.S_IMODE(os.stat(tmp_path / "out").st_mode) == 0o700
    assert [event["about"] for event in desk(home).logged("exported")] == [str(tmp_path / "out")]


def test_a_document_is_a_file_with_its_text_and_the_digest_of_its_original(home: House, tmp_path: Path):
    body = "# Über\n\nSingt um zwölf.\n"
    added = home.call(home.owner, "add_document", title="Ein Vogel / ../x", body=body)["document"]["document_id"]
    scanned = home.call(home.owner, "add_document", title="…", body="Empty title.")["document"]["document_id"]
    assert desk(home).ask("export", {"path": str(tmp_path / "out")})["documents"] == 2
    names = sorted(path.name for path in (tmp_path / "out" / "documents").iterdir())
    assert names == [f"{added}-Ein-Vogel-x.md", f"{scanned}.md"]
    above, text = (tmp_path / "out" / "documents" / names[0]).read_text().split("---\n\n", 1)
    assert text == body
    assert f'content_sha256: "{hashlib.sha256(body.encode()).hexdigest()}"' in above.splitlines()


def test_nothing_that_is_there_is_written_over(home: House, tmp_path: Path):
    at = desk(home)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("full", "file", "link"):
        assert at.refused("export", {"path": str(tmp_path / name)})["code"] in ("conflict", "unavailable"), name
    for inside in ("data/out", "keys/out"):
        assert at.refused("export", {"path": str(tmp_path / inside)})["code"] == "not_permitted"
    assert at.refused("export", {"path": str(tmp_path / "none" / "out")})["code"] == "bad_arguments"
    assert (tmp_path / "full" / "x").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()
    assert desk(home, "terminal").refused("export", {"path": str(tmp_path / "o")})["code"] == "presence_required"


def test_a_disk_that_does_not_take_it_is_said(home: House, tmp_path: Path):
    (tmp_path / "out").mkdir()
    at = desk(home)
    home.entity("one")
    os.mkfifo(tmp_path / "fifo")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        told = at.answer("export", {"path": str(tmp_path / "out")})["error"]
    assert (told["code"], "No space left" in told["message"]) == ("unavailable", True)


def test_an_export_that_is_put_back_is_exported_again_with_equal_rows(home: House, tmp_path: Path):
    peopled(home)
    first = desk(home).ask("export", {"path": str(tmp_path / "out")})
    (tmp_path / "again").mkdir()
    with house(directory=tmp_path / "again") as there:
        told = desk(there).ask("import-export", {"path": str(tmp_path / "out")})
        assert told["rows"] == sum(table["rows"] for table in first["tables"].values()) > 30
        second = desk(there).ask("export", {"path": str(tmp_path / "out-again")})
        assert second["tables"] == first["tables"]
        for question in ("apples", "Quartalsbericht", "September"):
            asked = {"query": question, "limit": 50}
            found = [home.call(home.owner, "search", **asked), there.call(there.owner, "search", **asked)]
            hits = [{one["id"] for one in each["items"]} for each in found]
            assert hits[0] == hits[1] != set()
        with bare(there.ownership, there.keys) as db:
            assert faults(db, there.keys.seal) == []
        assert desk(there).refused("import-export", {"path": str(tmp_path / "out")})["code"] == "conflict"


def test_an_export_that_was_changed_or_is_of_a_newer_version_is_not_taken_in(home: House, tmp_path: Path):
    home.entity("one")
    desk(home).ask("export", {"path": str(tmp_path / "out")})
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    (tmp_path / "again").mkdir()
    with house(directory=tmp_path / "again") as there:
        at = desk(there)

        def refused(**changed: object) -> str:
            (tmp_path / "out" / "manifest.json").write_text(json.dumps({**manifest, **changed}))
            code: str = at.refused("import-export", {"path": str(tmp_path / "out")})["code"]
            return code

        assert refused(schema=10_000) == "unsupported"
        assert refused(tables={"nothing": {"rows": 0, "sha256": ""}}) == "unsupported"
        assert refused(tables="none") == "export_damaged"
        entities = tmp_path / "out" / "tables" / "entity.jsonl"
        entities.write_bytes(entities.read_bytes().replace(b"one", b"two"))
        assert refused() == "export_damaged"
        entities.unlink()
        assert refused() == "bad_arguments"
        assert at.refused("import-export", {"path": str(tmp_path / "nowhere")})["code"] == "bad_arguments"
        assert there.call(there.owner, "list_entities")["total"] == 0
    assert desk(home, "terminal").refused("import-export", {"path": "/x"})["code"] == "presence_required"
