import json
from pathlib import Path

import pytest

from sophia.core.refusals import REFUSALS, BindNotLoopback, OwnerLive, PortInUse, Refusal, line

GOLDEN = Path(__file__).parents[1] / "golden" / "exit_codes.json"


@pytest.mark.guarantee("L19")
def test_the_exit_codes_their_names_and_their_sentences_never_change():
    told = {kind.name: [kind.exit_code, kind.sentence()] for kind in REFUSALS}
    assert told == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.guarantee("L19")
def test_the_table_is_all_there_is_and_runs_from_80_to_89():
    assert [kind.exit_code for kind in REFUSALS] == list(range(80, 90))
    assert set(Refusal.__subclasses__()) == set(REFUSALS)


def test_a_refusal_is_one_line_of_json():
    told = line(OwnerLive("Two\nlines of \u00fc and \udcff.", pid=7, path=Path("somewhere")))
    assert "\n" not in told
    assert json.loads(told) == {
        "refused": "owner_live",
        "exit": 80,
        "message": "Two\nlines of \u00fc and \udcff.",
        "details": {"pid": 7, "path": "somewhere"},
    }


def test_a_refusal_that_says_no_more_says_its_sentence():
    assert json.loads(line(PortInUse())) == {"refused": "port_in_use", "exit": 89, "message": "The port is taken."}
    assert str(BindNotLoopback()) == "Sophia listens on loopback addresses only."
