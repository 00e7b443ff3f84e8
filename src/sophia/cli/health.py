"""Commands over Sophia itself: status, doctor, verify."""

from typing import Any

import click

from sophia.cli import client
from sophia.cli.client_checks import clients, watches
from sophia.cli.environment import settings_of
from sophia.cli.running import Run, run_of, with_json
from sophia.core.refusals import Refusal
from sophia.settings import Settings
from sophia.store.keyfile import KEY_FILE
from sophia.version import VERSION


@click.command()
@with_json
def status() -> None:
    """Tell whether Sophia runs, where, and what waits for you."""
    run = run_of()
    settings = settings_of()
    sock = client.connected(settings.data_dir)
    if sock is None:
        told = _not_running(settings)
    else:
        sock.close()
        told = run.ask("status")
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)


def _not_running(settings: Settings) -> dict[str, object]:
    if settings.data_dir.exists():
        client.owner_refusal(settings)
    made = (settings.data_dir / KEY_FILE).exists()
    return {"running": False, "version": VERSION, "data_dir": str(settings.data_dir), "initialized": made}


@click.command()
@click.option("--config", is_flag=True, help="Every setting, with where its value came from.")
@with_json
def doctor(config: bool) -> None:
    """Check the installation and the clients that are connected, and tell what mends what."""
    run = run_of()
    try:
        told = run.ask("doctor", config=config)
    except Refusal as refusal:
        _show(run, _refused(refusal, config=config))
        raise
    told["checks"] += [*watches(), *clients(settings_of().key_dir).checks(told["mcp_url"])]
    told["ok"] = all(check["ok"] for check in told["checks"])
    _show(run, told)
    if not told["ok"]:
        click.get_current_context().exit(1)


def _refused(refusal: Refusal, *, config: bool) -> dict[str, Any]:
    """What there is to tell where nothing can be opened: why that is, and what mends it."""
    settings = settings_of()
    check = {"check": refusal.name, "ok": False, "told": refusal.message, "fix": refusal.mend}
    told = {"ok": False, "version": VERSION, "presence": settings.presence, "checks": [check]}
    return told | ({"config": settings.told()} if config else {})


def _show(run: Run, told: dict[str, Any]) -> None:
    if run.screen.json:
        run.screen.value(told)
        return
    run.screen.table(told["checks"], {"check": "check", "ok": "ok", "told": "found", "fix": "what mends it"}, "")
    if "config" in told:
        run.screen.table(told["config"], {"setting": "setting", "value": "value", "from": "from"}, "")


@click.command()
@click.option("--accept", is_flag=True, help="Take the state as it is for the right one, after a restore of yours.")
@with_json
def verify(accept: bool) -> None:
    """Read everything, and tell whether it is what was written."""
    run = run_of()
    told = run.ask("verify", accept=accept)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)
    if not told["ok"]:
        click.get_current_context().exit(1)
