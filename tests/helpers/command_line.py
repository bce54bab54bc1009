"""The command line inside this process, as a caller sees it."""

from dataclasses import dataclass

from mechdesign_cli.app import run


@dataclass(frozen=True)
class Seen:
    code: int
    out: str
    err: str


def make_runner(capsys):
    def mechdesign(*arguments):
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Seen(code, captured.out, captured.err)

    return mechdesign
