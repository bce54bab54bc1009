"""The command `mechdesign completion`: the completion script of a shell."""

from enum import StrEnum

from mechdesign_cli.completing import script
from mechdesign_cli.record import REQUIRED, Command, argument


class Shell(StrEnum):
    """The shells whose completion is known."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class Completion(Command):
    """The script is for bash, zsh or fish; a shell that has read it completes commands, options and their values.

    In bash: eval "$(mechdesign completion bash)" in ~/.bashrc. In zsh: the same with zsh, in ~/.zshrc, after compinit.
    In fish: mechdesign completion fish > ~/.config/fish/completions/mechdesign.fish

    Example: mechdesign completion bash
    """

    shell: Shell = argument("The shell: bash, zsh or fish.", default=REQUIRED, show_default=False)

    def run(self) -> None:
        """Print the script."""
        print(script(self.shell))
