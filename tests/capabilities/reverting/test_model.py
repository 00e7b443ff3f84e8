"""Any sequence of writes, reverts and crashes comes to what a plain model of it says."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.beneath import bare, faults
from tests.support.house import House, house

Key = tuple[str, str]
Value = tuple[str, ...] | None


@dataclass
class Effect:
    """What one mutation did to the model: of each thing what it was and became."""

    was: dict[Key, Value]
    became: dict[Key, Value]
    reverts: int | None = None


@dataclass
class Model:
    """Entities with names, and the aliases and facts that hang on them; and every effect by its mutation."""

    things: dict[Key, Value] = field(default_factory=dict)
    effects: dict[int, Effect] = field(default_factory=dict)

    def did(self, seq: int, became: dict[Key, Value], reverts: int | None = None) -> None:
        self.effects[seq] = Effect({key: self.things.get(key) for key in became}, became, reverts)
        self.things |= became

    def stands(self, seq: int) -> bool:
        return not any(one.reverts == seq and self.stands(by) for by, one in self.effects.items())

    def may_revert(self, seq: int) -> bool:
        """Whether all is as this left it, nothing that stands came after it, and nothing hangs on what would go."""
        effect = self.effects[seq]
        if not self.stands(seq) or any(self.things[key] != value for key, value in effect.became.items()):
            return False
        for by, other in self.effects.items():
            plain = other.reverts is None or other.reverts <= seq
            if by > seq and self.stands(by) and plain and other.became.keys() & effect.became.keys():
                return False
        goes = {key[1] for key, value in effect.was.items() if key[0] == "entity" and value is None}
        hangs = {
            value[0] for key, value in self.things.items() if value and key[0] != "entity" and key not in effect.became
        }
        comes = {value[0] for key, value in effect.was.items() if value and key[0] != "entity"}
        there = {key[1] for key, value in (self.things | effect.was).items() if key[0] == "entity" and value}
        taken = {
            value for key, value in self.things.items() if key[0] == "alias" and value and key not in effect.became
        }
        twice = any(value in taken for key, value in effect.was.items() if key[0] == "alias")
        return not goes & hangs and comes <= there and not twice


@dataclass
class Run:
    """One house after the other over the same directory, each of which dies at some write."""

    home: House
    model: Model
    dice: random.Random

    def step(self) -> bool:
        """One write or revert; whether the house still stands."""
        seqs, entities = (
            list(self.model.effects),
            [key[1] for key, value in self.model.things.items() if key[0] == "entity" and value],
        )
        n, entity = self.dice.randrange(1000), self.dice.choice(entities or [""])
        if not entities or n < 150:
            tool, arguments = "create_entity", {"kind": "k", "name": f"name {n}", "allow_duplicate": True}
        elif n < 300:
            tool, arguments = "update_entity", {"entity_id": entity, "name": f"name {n}"}
        elif n < 450:
            tool, arguments = "add_alias", {"entity_id": entity, "alias": f"alias {n % 3}"}
        elif n < 550:
            tool, arguments = "remember_fact", {"entity_id": entity, "predicate": "likes", "object": f"tea {n}"}
        else:
            seq = self.dice.choice(seqs[-8:])
            return self._reverted(seq)
        told = self._asked(tool, arguments)
        if told.get("error", {}).get("code") == "unavailable":
            return False
        if "mutation_seq" in told:
            self.model.did(told["mutation_seq"], self._became(told["mutation_seq"]))
        return True

    def _reverted(self, seq: int) -> bool:
        may, effect = self.model.may_revert(seq), self.model.effects[seq]
        told = self._asked("revert_mutation", {"mutation_seq": seq})
        if told.get("error", {}).get("code") == "unavailable":
            assert may
            return False
        assert ("mutation_seq" in told) is may, (seq, told)
        if may:
            self.model.did(told["mutation_seq"], effect.was, reverts=seq)
        return True

    def _asked(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.home.answer(self.home.owner, tool, arguments).payload)
        return told

    def _became(self, seq: int) -> dict[Key, Value]:
        changes = self.home.call(self.home.owner, "get_mutation", mutation_seq=seq)["changes"]
        return {_key(one["table"], one["row_id"]): _value(one["table"], one["after"]) for one in changes}

    def seen(self) -> dict[Key, Value]:
        with self.home.databases.state.reading(self.home.owner) as db:
            return {
                _key(table, row["id"]): _value(table, row)
                for table in ("entity", "entity_alias", "fact")
                for row in db.rows(f"SELECT * FROM {table}")
            }


def _key(table: str, row_id: str) -> Key:
    return (table.removeprefix("entity_"), row_id)


def _value(table: str, row: dict[str, Any]) -> Value:
    match table:
        case "entity":
            return (row["name"],)
        case "entity_alias":
            return (row["entity_id"], row["alias_key"])
        case _:
            return (row["entity_id"], row["object"])


@pytest.mark.guarantee("J16")
@pytest.mark.parametrize("seed", range(3))
def test_writes_reverts_and_crashes_agree_with_a_plain_model(tmp_path: Path, seed: int):
    dice, model, lives = random.Random(seed), Model(), 3
    for life in range(lives):
        last = life == lives - 1
        with house(directory=tmp_path, failpoint="" if last else f"before_commit:fail:{dice.randrange(8, 24)}") as home:
            run = Run(home, model, dice)
            for _ in range(60):
                if not run.step():
                    break
            assert run.seen() == {key: value for key, value in model.things.items() if value is not None}
    with house(directory=tmp_path) as home, bare(home.ownership, home.keys) as db:
        assert faults(db, home.keys.seal) == []
        reverts = [one for one in model.effects.values() if one.reverts is not None]
        assert len(reverts) > 5
