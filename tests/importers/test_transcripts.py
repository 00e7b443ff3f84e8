"""Transcripts of agents become documents that a person can read, and that ground nothing above inferred."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.importers.importing import taken
from tests.support.house import House, house
from tests.support.sources import brought, claude, codex, documents, reasons, written


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


PICTURE = "iVBORw0KGgo" * 200
SESSION: list[object] = [
    {"type": "summary", "summary": "Tide tables for the harbour", "leafUuid": "u9"},
    {"type": "file-history-snapshot", "messageId": "m"},
    claude("user", "u1", None, "When is high tide?\n<system-reminder>Keep quiet.</system-reminder>"),
    claude("user", "u2", "u1", "Caveat: a note of the program", isMeta=True),
    claude(
        "assistant", "u3", "u1",
        [
            {"type": "thinking", "thinking": "The tables are in a file.", "signature": "c2lnbmF0dXJl"},
            {"type": "text", "text": "I will look at the tables."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat tides.txt"}},
        ],
    ),
    claude(
        "user", "u4", "u3",
        [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "High tide at 14:10"}]},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        ],
    ),
    claude("assistant", "u5", "u4", [{"type": "text", "text": "High tide is at ten past two."}]),
    '{"type": "user", broken',
    claude("user", "u6", "u1", "And low tide?"),
    claude("user", "u7", "u1", "And the moon?"),
    claude("assistant", "s1", None, [{"type": "text", "text": "A helper looks at the moon."}], isSidechain=True),
    claude("assistant", "u5", "u4", [{"type": "text", "text": "High tide is at ten past two."}]),
]  # fmt: skip


@pytest.fixture
def projects(home: House) -> Path:
    folder = home.directory / ".claude" / "projects"
    written(folder / "-srv-ada-harbour" / "s-1.jsonl", SESSION)
    return folder


def test_a_session_of_claude_code_is_one_readable_document(home: House, projects: Path):
    told = brought(home, projects)
    assert told["kinds"] == {str(projects): "claude-code"}
    assert (told["documents"], told["entities"], told["facts"]) == (1, 1, 0)
    assert reasons(told) == {"s-1.jsonl:8": "corrupt"}
    (one,) = documents(home).values()
    assert (one["title"], one["origin"], one["collection"]) == ("Tide tables for the harbour", "agent", "Claude Code")
    text = one["text"]
    assert text.startswith("# Tide tables for the harbour\n\nA conversation with Claude Code, session s-1, in /srv/ada")
    assert "## human, 2026-03-12 09:30\n\nWhen is high tide?\n" in text
    assert '→ Bash {"command": "cat tides.txt"}' in text
    assert "## Claude Code, 2026-03-12 09:30" in text
    assert "← High tide at 14:10" in text
    assert "(a picture)" in text
    assert "## human (from an earlier turn), 2026-03-12 09:30\n\nAnd the moon?" in text
    assert "## Claude Code (side chain), 2026-03-12 09:30\n\nA helper" in text
    assert text.count("ten past two") == 1
    for absent in ("system-reminder", "Keep quiet", "Caveat", "c2lnbmF0dXJl", PICTURE):
        assert absent not in text


def test_what_is_kept_in_memory_beside_them_comes_along_and_other_files_are_counted(home: House, projects: Path):
    memory = projects / "-srv-ada-harbour" / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Memory\n\nAda likes tea.\n")
    (projects / "-srv-ada-harbour" / "output.txt").write_text("long")
    told = brought(home, projects)
    assert {one["origin"] for one in documents(home).values()} == {"agent"}
    assert (told["documents"], reasons(told)) == (2, {"s-1.jsonl:8": "corrupt", "projects (1 files)": "another_kind"})


def test_what_a_tool_answered_is_not_put_into_the_humans_mouth(home: House, projects: Path):
    brought(home, projects)
    (one,) = documents(home).values()
    human = [part.partition("\n")[2] for part in one["text"].split("\n## ") if part.startswith("human")]
    assert not any("High tide at 14:10" in part for part in human)


@pytest.mark.guarantee("V5")
def test_quotes_from_a_transcript_land_as_inferred(home: House, projects: Path):
    brought(home, projects)
    (one,) = documents(home).values()
    harbour = home.call(home.owner, "list_entities", kind="project")["items"][0]
    assert (harbour["name"], harbour["attributes"]) == ("harbour", {"location": "/srv/ada/harbour"})
    assert one["entity_ids"] == [harbour["entity_id"]]
    claim = {
        "id": "c", "entity": harbour["entity_id"], "predicate": "note", "object": "ten past two",
        "quote": "High tide is at ten past two.",
    }  # fmt: skip
    full = home.agent("full")
    verdicts = home.call(full, "submit_claim_graph", source_id=one["document_id"], claims=[claim])["verdicts"]
    assert (verdicts[0]["accepted"], verdicts[0]["trust_tier"]) == (True, "inferred")


def test_importing_again_changes_nothing_and_a_session_that_went_on_has_its_text_of_now(home: House, projects: Path):
    brought(home, projects)
    before = home.dump()
    again = brought(home, projects)
    assert home.dump() == before
    assert (again["documents"], again["entities"], again["mutation_seq"]) == (0, 0, None)
    (projects / "copy").mkdir()
    (projects / "copy" / "s-1.jsonl").write_bytes((projects / "-srv-ada-harbour" / "s-1.jsonl").read_bytes())
    assert brought(home, projects)["documents"] == 0
    (first,) = documents(home).values()
    with (projects / "-srv-ada-harbour" / "s-1.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(claude("user", "u8", "u7", "Thank you.")))
    assert brought(home, projects)["documents"] == 1
    (after,) = documents(home).values()
    assert after["document_id"] == first["document_id"]
    assert after["text"].rstrip().endswith("Thank you.")


@pytest.mark.guarantee("J13")
def test_an_import_is_a_session_that_is_listed_and_undone_as_one(home: House, projects: Path):
    for n in range(70):
        written(projects / "more" / f"{n}.jsonl", [claude("user", f"v{n}", None, f"Question {n}", sessionId=f"s{n}")])
    told = brought(home, projects)
    assert told["documents"] == 71
    found = home.call(home.owner, "get_import_session", import_session_id=told["import_session_id"])
    assert (found["status"], found["kind"], found["connection_id"]) == ("committed", "claude-code", "owner")
    assert found["writes"] == 2
    assert len(found["mutations"]) == 3
    assert found["mutations"][0] == told["mutation_seq"]
    last = home.call(home.owner, "get_mutation", mutation_seq=told["mutation_seq"])
    assert (last["tool"], last["rows"]) == ("sophia.commit_import_session", 1)
    home.call(home.owner, "revert_mutation", mutation_seq=told["mutation_seq"])
    assert home.call(home.owner, "list_documents")["total"] == 0
    assert home.call(home.owner, "list_entities", kind="project")["total"] == 0


def test_an_import_that_was_killed_goes_on_in_its_session(home: House, projects: Path):
    for n in range(70):
        written(projects / "more" / f"{n}.jsonl", [claude("user", f"v{n}", None, f"Question {n}", sessionId=f"s{n}")])
    place = home.parts.intake

    def killed(_stage: str, done: int, _of: int) -> None:
        if done == 70:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        taken(place, [str(projects)], None, killed)
    (left,) = home.call(home.owner, "list_import_sessions")["items"]
    assert (left["status"], left["writes"]) == ("open", 1)
    told = brought(home, projects)
    assert told["import_session_id"] == left["import_session_id"]
    assert len(documents(home)) == 71
    assert home.call(home.owner, "list_import_sessions")["items"][0]["status"] == "committed"


def test_a_dry_run_counts_and_shows_and_keeps_nothing(home: House, projects: Path):
    before = home.dump()
    told = brought(home, projects, dry_run=True)
    assert (told["dry_run"], told["documents"], told["entities"], told["mutation_seq"]) == (True, 1, 1, None)
    assert told["samples"][0]["title"] == "Tide tables for the harbour"
    assert reasons(told) == {"s-1.jsonl:8": "corrupt"}
    assert home.dump() == before


def test_secrets_in_a_transcript_are_kept_out(home: House):
    token = "ghp_" + "x7Kq2Lm9Zp4Rt8Vw1Ys6Bd3Nf5Hj0Gc2Ae4T"
    path = written(home.directory / "s.jsonl", [claude("user", "u1", None, f"Push with {token} please")])
    told = brought(home, path)
    assert (told["documents"], told["masked"]) == (1, 1)
    (one,) = documents(home).values()
    assert token not in one["text"]
    assert "Push with" in one["text"]


def test_long_sessions_are_documents_in_parts_that_stay(home: House):
    def turns(count: int) -> Iterator[dict[str, Any]]:
        for n in range(count):
            yield claude("user", f"u{n}", f"u{n - 1}", f"Question {n}: " + f"the tide of day {n} is high. " * 300)

    path = written(home.directory / "s.jsonl", turns(100))
    told = brought(home, path)
    assert told["documents"] == 3
    titles = sorted(documents(home))
    assert [title[-3:] for title in titles[1:]] == ["(2)", "(3)"]
    written(path, turns(101))
    assert brought(home, path)["documents"] == 1


READS = """
import re, sys
from pathlib import Path
from sophia.capabilities.documents.grants import Protected
from sophia.importers import claude_code
from sophia.importers.brought import Brought, Place
from sophia.importers.shelf import opened

def most_kb():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

root = Path(sys.argv[1])
before, read, left_out = most_kb(), 0, []
with opened(str(root), [root], Protected(())) as shelf:
    for one in claude_code.read(Place(str(root), shelf, ("s.jsonl",))):
        if isinstance(one, Brought):
            read += len(one.text)
        else:
            left_out.append(one.reason)
print(most_kb() - before, read, *left_out)
"""


@pytest.mark.guarantee("FS3")
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is told by /proc")
def test_a_large_transcript_is_read_in_constant_memory(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    line = json.dumps(claude("assistant", "u{}", "p{}", [{"type": "text", "text": "The tide is high. " * 400}]))
    huge = json.dumps(claude("user", "big", None, [{"type": "image", "source": {"data": "A" * 9_000_000}}]))
    with path.open("w", encoding="utf-8") as file:
        for n in range(7_000):
            file.write(line.replace("u{}", f"u{n}") + "\n")
        file.write(huge + "\n")
    assert path.stat().st_size > 60_000_000
    done = subprocess.run([sys.executable, "-c", READS, str(tmp_path)], capture_output=True, text=True, check=True)
    grown_kb, read, *left_out = done.stdout.split()
    assert int(grown_kb) < 60_000
    assert int(read) > 48_000_000
    assert left_out == ["too_large"]


def item(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


ROLLOUT: list[object] = [
    codex("session_meta", {"id": "r-1", "cwd": "/srv/ada/harbour", "cli_version": "1"}),
    item("user", "# AGENTS.md instructions for /srv"),
    item("user", "<environment_context>\n x"),
    item("developer", "Obey."),
    item("user", "Mend the pier"),
    codex("event_msg", {"type": "user_message", "message": "Mend the pier"}),
    codex("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "Z0FBQUFB"}),
    codex("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}'}),
    codex("response_item", {"type": "function_call_output", "output": '{"output": "pier.txt"}'}),
    codex("event_msg", {"type": "agent_message", "message": "The pier is mended."}),
    item("assistant", "The pier is mended."),
    codex("event_msg", {"type": "token_count", "info": None}),
    codex("event_msg", {"type": "user_message", "message": "Go on"}),
    item("user", "Go on"),
    codex("event_msg", {"type": "user_message", "message": "Go on"}),
]  # fmt: skip


def test_a_rollout_of_codex_says_each_thing_once_and_leaves_the_boilerplate_out(home: House):
    folder = home.directory / ".codex" / "sessions"
    written(folder / "2026" / "03" / "12" / "rollout-1.jsonl", ROLLOUT, end="")
    told = brought(home, folder)
    assert told["kinds"] == {str(folder): "codex"}
    (one,) = documents(home).values()
    assert (one["title"], one["origin"], one["collection"]) == ("Mend the pier", "agent", "Codex")
    text = one["text"]
    assert text.count("Mend the pier") == 2  # the title, and the turn
    assert text.count("The pier is mended.") == 1
    assert text.count("Go on") == 2
    assert '→ shell {"command": ["ls"]}' in text
    assert "← pier.txt" in text
    for absent in ("AGENTS.md instructions", "environment_context", "Obey.", "Z0FBQUFB"):
        assert absent not in text


def test_a_folder_that_is_registered_already_is_what_its_transcripts_are_linked_to(home: House, projects: Path):
    folder = home.directory / "harbour"
    folder.mkdir()
    path = written(home.directory / "t.jsonl", [claude("user", "u1", None, "Hello there", cwd=str(folder))])
    registered = brought(home, folder)["folders"][0]["entity_id"]
    brought(home, path)
    (one,) = documents(home).values()
    assert one["entity_ids"] == [registered]
