"""What a write would change, in words."""

from typing import Any

from sophia.cli import previews


def change(op: str, before: Any = None, after: Any = None, table: str = "entity", row: str = "e-1") -> dict[str, Any]:
    return {"table": table, "op": op, "row_id": row, "before": before, "after": after}


def told(*changes: dict[str, Any], total: int | None = None) -> list[str]:
    return previews.lines({"changes": [*changes], "total": len(changes) if total is None else total})


def test_a_new_row_is_told_by_what_it_holds():
    row = {"id": "e-1", "user_id": "u", "name": "Ada", "name_key": "ada", "summary": None, "attributes": "{}",
           "created_at": 1}  # fmt: skip
    assert told(change("insert", after=row, row="new-0")) == ["new entity new-0", "    name: Ada"]


def test_a_change_is_told_by_what_is_other():
    before = {"id": "e-1", "name": "Ada", "kind": "person", "valid_from": None}
    after = before | {"name": "Ada L.", "valid_from": 0}
    assert told(change("update", before, after)) == [
        "changed entity e-1 (Ada L.)", "    name: Ada → Ada L.", "    valid from: nothing → 1970-01-01 00:00:00",
    ]  # fmt: skip


def test_what_goes_and_what_is_left_out_is_told():
    link = {"id": "l-1", "document_id": "doc-1", "entity_id": "e-1"}
    lines = told(change("delete", before=link, table="document_entity", row="l-1"), total=60)
    assert lines == ["gone link of a document l-1", "    document: doc-1", "    entity: e-1", "and 59 more rows"]


def test_values_that_were_cut_or_cannot_be_read_are_shown_as_they_are():
    assert told(change("insert", after='{"name": "x… (cut')) == ['new entity e-1: {"name": "x… (cut']
    assert told(change("insert", after='{"name": "whole"}')) == ["new entity e-1", "    name: whole"]
    long = told(change("insert", after={"text": "x" * 1000, "list": [1], "seen_at": 10**30}, table="other"))
    assert long[1].endswith("… (1000 characters)")
    assert long[2:] == ["    list: [1]", f"    seen: {10**30}"]
    assert told() == []
