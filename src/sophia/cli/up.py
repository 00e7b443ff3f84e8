"""`sophia up`: from nothing to something that an agent can use, in one command, as often as you like."""

import subprocess
from collections import Counter
from typing import Any

import click

from sophia.cli import background, client, owner_asked
from sophia.cli.client import Client
from sophia.cli.content import absolute
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.running import Run, run_of, with_json
from sophia.cli.session import Session
from sophia.cli.snippets import command, snippets
from sophia.cli.tour import toured
from sophia.settings import Settings
from sophia.store.keyfile import KEY_FILE
from sophia.store.wrapping import parsed

MINUTES = 5
SHOWN = 70
"""Characters of a quote, or of a value, that are shown."""


@click.command()
@click.argument("path", required=False)
@with_json
def up(path: str | None) -> None:
    """Start Sophia, take PATH in (default: this repository), and show what an agent finds."""
    run, settings = run_of(), settings_of()
    source = absolute(path) if path else _repository()
    told: dict[str, Any] = {}
    # Before a daemon is there: the run that makes the data directory needs no presence for its first import and its
    # first connection. With one that runs, this goes over its socket.
    with run.client() as before:
        minted = _prepared(before, source, told)
    served = _served(run, settings)
    if minted is not None:
        with run.client() as daemon:
            try:
                with run.screen.progress() as steps:
                    told |= toured(
                        Session(served["mcp_url"], minted["bearer_token"]), source,
                        lambda left: steps.step({"step": f"mining, {left} documents left"}),
                    )  # fmt: skip
            finally:
                daemon.ask("revoke", connection_id=minted["connection_id"], reason="`sophia up` was done with it")
    failed = told.get("imported", {}).get("error", {}).get("code")
    _show(run, served, source, told)
    if failed not in (None, "presence_required", "presence_refused"):
        click.get_current_context().exit(1)


def _prepared(asking: Client, source: str, told: dict[str, Any]) -> dict[str, Any] | None:
    """A connection for the tour; `None` where nothing came in, or where the owner was not there to allow it."""
    try:
        told["imported"] = asking.ask("import", paths=[source])
    except Failed as failed:
        told["imported"] = {"error": failed.error}
        return None
    try:
        minted: dict[str, Any] = asking.ask(
            "mint", name="first-look", profile="full", write_approval_mode="pre_approved", entity_scope="all",
            can_delegate=False, can_post=False, ttl_minutes=MINUTES, surface="full", name_style="dotted",
            siblings_may_review=False,
        )  # fmt: skip
    except Failed as failed:
        told["left_out"] = f"an agent's first look: {failed.error.get('message')}"
        return None
    return minted


def _served(run: Run, settings: Settings) -> dict[str, Any]:
    """Where the daemon is: the one that runs, or one that was started for this."""
    sock = client.connected(settings.data_dir)
    if sock is None:
        ready = background.started(settings, _passphrase(settings))
        return {"mcp_url": ready["mcp"], "pid": ready["pid"], "started": True}
    sock.close()
    status = run.ask("status")
    return {"mcp_url": status["mcp_url"], "pid": status["pid"], "started": False}


def _passphrase(settings: Settings) -> str | None:
    """The passphrase, where the data opens with one: the daemon has no terminal to ask at."""
    try:
        home = parsed((settings.data_dir / KEY_FILE).read_bytes()).home
    except (OSError, ValueError):
        return None  # the daemon says what is wrong with it
    return owner_asked.passphrase() if home == "passphrase" else None


def _repository() -> str:
    """The repository around the current folder; without one, what to take in has to be named."""
    asked = ["git", "rev-parse", "--show-toplevel"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        raise click.UsageError(
            "There is no repository here: name what to take in, as in `sophia up ~/notes`."
        ) from None
    return found.stdout.strip()


def _skipped(skipped: list[dict[str, Any]]) -> str:
    """How many files were left out, and why most of them."""
    reasons = Counter(str(one["reason"]).replace("_", " ") for one in skipped)
    return f"{len(skipped)}: " + ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(3))


def _short(quote: str) -> str:
    """The quote on one line, cut where it is long."""
    plain = " ".join(quote.split())
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"


def _next(facts: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Commands that show more of what is there, and what they show."""
    first = [(f"show {facts[0]['fact_id']}", "one fact, its quote, and whether it still holds")] if facts else []
    return [
        ("search WORDS", "the passages that your agents find"),
        *first,
        ("entities", "what facts are about"),
        ("folders list", "what is taken in and watched"),
        ("doctor", "whether all is well, and what mends it"),
    ]


def _show(run: Run, served: dict[str, Any], source: str, told: dict[str, Any]) -> None:
    clients = snippets()
    if run.screen.json:
        run.screen.value({**served, "source": source, **told, "clients": clients})
        return
    state = "was started" if served["started"] else "was running"
    run.screen.line(f"Sophia {state}: {served['mcp_url']} (process {served['pid']})")
    run.screen.line("")
    imported, facts = told.pop("imported", {}), told.pop("facts", [])
    error = imported.get("error")
    run.screen.pairs(
        {
            **({"taken in": source} if error is None else {"not taken in": f"{source}: {error.get('message')}"}),
            **({"new documents": imported["documents"]} if "documents" in imported else {}),
            **({"skipped": _skipped(imported["skipped"])} if imported.get("skipped") else {}),
            **{name.replace("_", " "): value for name, value in told.items()},
        }
    )
    if facts:
        run.screen.line("")
        run.screen.line("Some of what is known now, and the words that it stands on:")
        for fact in facts:
            run.screen.line(f"  {fact['about']} · {fact['predicate'].replace('_', ' ')} · {_short(fact['object'])}")
            run.screen.line(f"      {_short(fact['quote'])!r} in {fact['source']!r}")
    run.screen.line("")
    run.screen.line("Where to look next:")
    following = _next(facts)
    wide = max(len(what) for what, _ in following)
    for what, why in following:
        run.screen.line(f"  {command()} {what:<{wide}}  {why}")
    if imported.get("folders"):
        run.screen.line("")
        run.screen.line(f"Agents may read files below {source}; `{command()} folders list` shows all such folders.")
    for name, lines in clients.items():
        run.screen.line("")
        run.screen.line(f"Connect {name}:")
        for line in lines.splitlines():
            run.screen.line(f"  {line}")
    run.screen.line("")
    run.screen.line(
        f"What an assistant writes waits for you: `{command()} approvals --watch`, then `{command()} approve ID`."
    )
    run.screen.line(f"The daemon goes on in the background; `{command()} stop` ends it.")
