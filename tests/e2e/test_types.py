"""The generated TypeScript compiles under the strictest settings, and says what the tools say."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, house
from tests.support.node import NODE, environment, judges

CONFIG = {
    "compilerOptions": {
        "strict": True, "noEmit": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True,
        "target": "ES2022", "module": "ES2022", "types": [], "skipLibCheck": False,
    },
    "include": ["*.ts"],
}  # fmt: skip
USE = """import type { Sophia } from "./sdk";
export async function session(sophia: Sophia): Promise<number> {
  const [catalog, page] = await Promise.all([sophia.capabilityCatalog({ brief: true }), sophia.listEntities()]);
  const names: Array<string> = page.items.map((entity) => entity.name);
  return catalog.total_tools + names.length + page.total + page._inbox_unread;
}
"""
MISUSE = """import type { Sophia } from "./sdk";
export async function wrong(sophia: Sophia): Promise<void> {
  // @ts-expect-error a limit is a number
  await sophia.listEntities({ limit: "many" });
  // @ts-expect-error there is no such tool
  await sophia.listEverything({});
  // @ts-expect-error an entity has a name to be made
  await sophia.createEntity({ kind: "person" });
}
"""


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.mark.guarantee("O6")
def test_the_declarations_of_every_group_compile_strictly(home: House, tmp_path: Path) -> None:
    agent = home.agent("full")
    groups = home.call(agent, "get_sdk_types")["index"]
    for group in groups:
        declared = home.call(agent, "get_sdk_types", group=group)["declarations"]
        (tmp_path / f"{group}.ts").write_text(declared, "utf-8")
    everything = [
        entry["name"] for names in home.call(agent, "capability_catalog")["groups"].values() for entry in names
    ]
    whole = home.call(home.owner, "get_sdk_types", tools=everything[:50])["declarations"]
    (tmp_path / "sdk.ts").write_text(whole, "utf-8")
    (tmp_path / "use.ts").write_text(USE, "utf-8")
    (tmp_path / "misuse.ts").write_text(MISUSE, "utf-8")
    (tmp_path / "tsconfig.json").write_text(json.dumps(CONFIG), "utf-8")
    compiler = judges() / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        [str(NODE), str(compiler), "--project", str(tmp_path)],
        capture_output=True, text=True, timeout=120, env=environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
