"""``sudare help`` and ``sudare completion``: what commands there are, told and typed."""

import rich_click as click

from sudare.cli.shared.terminal import put_lines
from sudare.errors import ParameterError

SHELLS = ("bash", "zsh", "fish")


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
    """Show what a command does, as --help after it would.

    \b
    Examples:
      sudare help
      sudare help collection new
    """
    found = root = context.find_root().command
    for number, word in enumerate(words):
        known = found.commands if isinstance(found, click.Group) else {}
        if word not in known:
            asked = " ".join(["sudare", *words[: number + 1]])
            beyond = " ".join(["sudare", "help", *words[:number]])
            raise ParameterError(f"there is no command `{asked}`; `{beyond}` says what there is")
        found = known[word]
    root.main([*words, "--help"], prog_name="sudare", standalone_mode=False)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and file names in a shell.

    \b
    Examples:
      eval "$(sudare completion bash)"                 (in ~/.bashrc)
      eval "$(sudare completion zsh)"                  (in ~/.zshrc)
      sudare completion fish > ~/.config/fish/completions/sudare.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise ParameterError(f"there is no completion for {shell}")
    script = made(context.find_root().command, {}, "sudare", "_SUDARE_COMPLETE")
    put_lines(script.source() + "\n")
