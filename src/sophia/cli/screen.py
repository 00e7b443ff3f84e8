"""What a command shows: tables and lines for people, one JSON value for programs."""

import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from sophia.cli.plain import plain, several_lines

_LONGEST = 2_500
"""Characters of one value that people are shown."""
_BOUNDLESS = 1_000_000
COLUMNS = 4
"""A table of no more columns stays one: its words are broken where they have no room."""
Rows = Sequence[dict[str, Any]]


@dataclass
class Screen:
    """Standard output and standard error of one command."""

    json: bool = False

    def value(self, told: Any) -> None:
        """The one JSON value of a command that was asked for JSON; all but ASCII is escaped."""
        click.echo(json.dumps(told))

    def line(self, text: str) -> None:
        """A line, in which nothing acts on the terminal."""
        click.echo(plain(text))

    def note(self, text: str) -> None:
        """A line beside the answer."""
        click.echo(plain(text), err=True)

    def pairs(self, told: dict[str, Any]) -> None:
        """Names and values, one a line."""
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        for name, value in told.items():
            if value is not None and value != []:
                table.add_row(name, _shown(value))
        _print(table)

    def table(self, rows: Rows, columns: dict[str, str], empty: str) -> None:
        """The rows, with `{key: heading}` as columns, or one below the other where there is no room for that.

        `empty` where there are none.
        """
        if not rows:
            self.line(empty)
            return
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in columns.values():
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(_shown(row.get(key)) for key in columns))
        if len(columns) > COLUMNS and not _fits(table):
            for row in rows:
                self.pairs({heading: row.get(key) for key, heading in columns.items()})
                self.line("")
        else:
            _print(table)

    def passage(self, heading: str, text: str) -> None:
        """A text below its heading, line by line, without the empty ones."""
        self.line(heading)
        if lines := [line for line in several_lines(_cut(text)).splitlines() if line.strip()]:
            _print(Padding(Text("\n".join(lines)), (0, 0, 0, 4)))
        self.line("")

    @contextmanager
    def progress(self) -> Generator["Steps"]:
        """A bar on standard error while something takes long, where that is a terminal."""
        if self.json or not sys.stderr.isatty():
            yield Steps(None)
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        try:
            yield Steps(bar)
        finally:
            bar.stop()


@dataclass
class Steps:
    """The steps of one command, as they are told."""

    bar: Progress | None

    def step(self, told: dict[str, Any]) -> None:
        """Show how far it has come: `{"step", "done"?, "total"?}`."""
        if self.bar is None:
            return
        if not self.bar.tasks:
            self.bar.start()
            self.bar.add_task("", total=None)
        self.bar.update(
            self.bar.tasks[0].id,
            description=plain(str(told.get("step", ""))),
            completed=told.get("done", 0),
            total=told.get("total"),
        )

    def pause(self) -> None:
        """Leave the terminal alone: the owner is asked something."""
        if self.bar is not None:
            self.bar.stop()


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 160)


def _print(told: RenderableType) -> None:
    """Show it, without the blanks that fill its lines."""
    console = _console()
    with console.capture() as shown:
        console.print(told)
    click.echo("\n".join(line.rstrip() for line in shown.get().splitlines()))


def _fits(table: Table) -> bool:
    """Whether the table has room for its longest words."""
    console = _console()
    boundless = console.options.update(width=_BOUNDLESS)
    return Measurement.get(console, boundless, table).minimum <= console.width


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters: --json shows all)"


def _shown(value: Any) -> Text:
    match value:
        case None:
            return Text("")
        case bool():
            return Text("yes" if value else "no")
        case str():
            return Text(several_lines(_cut(value)))
        case list() if all(isinstance(item, str) for item in value):
            return Text(plain(", ".join(value)))
        case dict() | list():
            return Text(plain(_cut(json.dumps(value, ensure_ascii=False))))
        case _:
            return Text(str(value))
