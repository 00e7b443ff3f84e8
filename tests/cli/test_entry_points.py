"""Every way into the data: each goes through the one owner, or is refused."""

import ast
from importlib.metadata import distribution
from pathlib import Path

import click
import pytest

from sophia.cli.main import COMMANDS, main
from tests.support.daemon import Daemon, Place, running

SOURCE = Path(__file__).parents[2] / "src" / "sophia"
OPENERS = {"sophia.store.engine.connect", "sophia.store.databases.open_databases", "sophia.opening.opened"}
"""What opens a database, or calls what does."""
CALLS = {
    "store/engine.py": {"apsw.Connection(str(path)"},
    "store/migrate.py": {"apsw.Connection(':memory:'"},
    "store/databases.py": {"connect(ownership"},
    "store/verify.py": {"connect(ownership"},
    "store/pair.py": {"connect(ownership"},
    "store/snapshotted.py": {"connect(ownership"},
    "store/upgrade.py": {"connect(order.ownership"},
    "owner/restoring.py": {"open_databases(ownership"},
    "opening.py": {"open_databases(ownership"},
    "daemon.py": {"opened(settings"},
    "cli/own.py": {"opened(settings"},
}
"""Every call of these in the package, with its first argument."""
WORDS: dict[str, tuple[str, ...]] = {
    "mint": ("--name", "a"), "revoke": ("x" * 36,), "rename": ("x" * 36, "b"), "scope": ("x" * 36, "all"),
    "rotate": ("x" * 36,), "grant": ("mint", "{}"), "approve": ("appr-x",), "deny": ("appr-x",),
    "allow": ("update_entity", "x" * 36, "--minutes", "1"), "import": ("/nowhere",), "folders list": (),
    "folders grant": ("/nowhere",), "folders revoke": ("/nowhere",), "search": ("word",), "show": ("e-x",),
    "call": ("list_entities",), "connect": ("json", "--profile", "x"), "disconnect": ("json",),
    "backup": ("/nowhere/b",), "secrets allow": ("x",), "secrets disallow": ("x",),
    "forget": ("e-x", "--yes"), "forgotten allow": ("gone-x",), "export": ("/nowhere/e",),
    "import-export": ("/nowhere/e",), "revert": ("1",), "undo": ("x" * 36, "--since", "1h"),
}  # fmt: skip
ELSEWHERE = {
    "serve", "stop", "up", "run", "service show", "service install", "service uninstall", "completion", "passphrase",
    "restore",
}  # fmt: skip
"""What starts or ends the daemon, is told apart below, or opens nothing."""


def calls(path: Path) -> set[str]:
    """The openings in a file: of what it imported under any name, and of the engine's own connections."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        (alias.asname or alias.name): f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            first, _, rest = called.partition(".")
            whole = names.get(first, first) + (f".{rest}" if rest else "")
            if whole in OPENERS | {"apsw.Connection"}:
                found.add(f"{called}({ast.unparse(node.args[0]) if node.args else ''}")
    return found


def test_an_opening_is_found_under_any_name(tmp_path: Path):
    for source in (
        "from sophia.store.engine import connect as c\nc(1)",
        "from sophia.store import engine\nengine.connect(1)",
        "import apsw\napsw.Connection(1)",
    ):
        (tmp_path / "one.py").write_text(source)
        assert len(calls(tmp_path / "one.py")) == 1, source


def leaves(group: click.Group, before: str = "") -> dict[str, click.Command]:
    context = click.Context(group)
    found: dict[str, click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        whole = f"{before}{name}"
        found |= leaves(command, f"{whole} ") if isinstance(command, click.Group) else {whole: command}
    return found


@pytest.mark.guarantee("L16")
def test_the_databases_are_opened_in_these_places_and_nowhere_else():
    found = {str(path.relative_to(SOURCE)): made for path in SOURCE.rglob("*.py") if (made := calls(path))}
    assert found == CALLS


@pytest.mark.guarantee("L16")
def test_the_package_has_one_entry_point():
    points = {(point.group, point.name): point.value for point in distribution("sophia").entry_points}
    assert points == {("console_scripts", "sophia"): "sophia.cli.main:main"}


@pytest.mark.guarantee("L16", "M8")
def test_every_command_goes_through_the_live_owner():
    """With no key at hand a command that opened the data itself would end with 86."""
    with running() as daemon:
        keyless = Place(daemon.root, daemon.environ | {"SOPHIA_KEY_DIR": str(daemon.root / "no-keys")})
        commands = leaves(main)
        asked = {name: WORDS.get(name, ()) for name in commands if name not in ELSEWHERE}
        assert set(WORDS) <= set(asked)
        for name, words in asked.items():
            said = Daemon.sophia(_over(daemon, keyless), *name.split(" "), *words, "--json")
            assert said.code in (0, 1), (name, said)
        assert keyless.sophia("serve", "--port", "0").code == 80
        assert keyless.sophia("restore", "/nowhere/b").code == 80
        assert not list((daemon.root / "no-keys").rglob("*"))
        assert daemon.ask("status")["pid"] == daemon.pid


def _over(daemon: Daemon, at: Place) -> Daemon:
    return Daemon(at.root, at.environ, daemon.process, daemon.ready, daemon.ready_after_s)


def test_every_command_says_what_it_does():
    for name, command in leaves(main).items():
        assert command.get_short_help_str(), name
        assert all(option.help for option in command.params if isinstance(option, click.Option)), name


def test_every_command_speaks_json_or_is_one_that_never_answers():
    silent = {"serve", "completion", "service show", "run"}
    for name, command in leaves(main).items():
        speaks = any("--json" in option.opts for option in command.params)
        assert speaks is (name not in silent), name


def test_the_table_of_commands_is_the_one_that_is_listed():
    assert main.list_commands(click.Context(main)) == list(COMMANDS)
    assert main.get_command(click.Context(main), "nonsense") is None
