"""Run `mechdesign completion`: print what makes a shell complete commands and options."""

from enum import StrEnum
from typing import Annotated

import typer

from mechdesign_cli.completing import script


class Shell(StrEnum):
    """The shells whose completion is known."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="Whose script to print.", show_default=False)]) -> None:
    """Print a script for bash, zsh or fish; a shell that has read it completes commands, options and their values.

    In bash: eval "$(mechdesign completion bash)" in ~/.bashrc. In zsh: the same with zsh, in ~/.zshrc, after compinit.
    In fish: mechdesign completion fish > ~/.config/fish/completions/mechdesign.fish

    Example: mechdesign completion bash
    """
    print(script(shell))
