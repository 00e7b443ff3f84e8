"""The command itself."""

import tomllib
from pathlib import Path

from click.testing import CliRunner

from sophia.cli.main import main

ROOT = Path(__file__).parents[2]


def test_the_command_tells_the_version_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    answer = CliRunner().invoke(main, ["--version"])
    assert answer.exit_code == 0
    assert answer.output == f"sophia, version {project['version']}\n"
