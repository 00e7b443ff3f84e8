"""The command that prints the shells' completion."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion of SHELL; `sophia completion bash >> ~/.bashrc` and its like keep it."""
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    if kind is not None:
        click.echo(kind(root, {}, "sophia", "_SOPHIA_COMPLETE").source())
