"""Blocks of a page, run as a reader would, one after another in one folder.

What they print is compared.

`python` blocks promise each line that they print by `# -> line`, and `r` blocks some of theirs. `console` blocks have
commands after `$ ` and, below each, all that it prints; nothing below means that only its exit code is compared.
`shell` blocks have commands alone. In what is promised `...` stands for anything, and alone on a line for any lines.
Blocks of `NOT_RUN` are not run.

A comment `<!-- not run: reason -->` right above a block exempts it, `<!-- needs: file file -->` asks for published
files, `<!-- needs: package:NAME -->` for a package that is installed. What a page needs and a reader need not see
stands in `<!--- invisible-code-block: python` ... `-->`.
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sybil import Document, Example
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from sybil.parsers.myst import CodeBlockParser

from mechdesign_cli.app import run

COLUMNS = 80
"""Letters of a line of the terminal in which promised outputs were made."""

NOT_RUN = ("text", "json", "toml", "diff")
LIMIT = 1200
"""Seconds after which a command of a page is given up."""

PROMISE = re.compile(r"# -> (.*)")
MARK = re.compile(r"<!-- (not run|needs): (.*?) -->\n\Z", re.DOTALL)
QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
UNHEARD = " > /dev/null"
HERE = re.compile(rf"(mechdesign [^|&;<>$`*?~(]*?)( ?(?:;|\|\|) echo .*|{UNHEARD})?")
"""A command that is run in this process, which takes less time, and what a shell does after it: all but a few."""


class PythonBlocks(CodeBlockParser):
    """The runner of `python` blocks."""

    language = "python"

    def evaluate(self, example: Example) -> str | None:
        if not_run(example):
            return None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * example.line + example.parsed, example.path, "exec"), example.namespace)
        return difference(PROMISE.findall(example.parsed), printed.getvalue())


class ConsoleBlocks(CodeBlockParser):
    """The runner of `console` blocks."""

    language = "console"

    def evaluate(self, example: Example) -> str | None:
        if not_run(example):
            return None
        for command, promised in console_commands(example.parsed):
            code, printed = run_line(command)
            if code:
                return f"$ {command}\nends with exit code {code}: {printed}"
            if promised and (wrong := difference(promised, printed)):
                return f"$ {command}\n{wrong}"
        return None


class ShellBlocks(CodeBlockParser):
    """The runner of `shell` blocks."""

    language = "shell"

    def evaluate(self, example: Example) -> str | None:
        if not_run(example):
            return None
        for command in shell_commands(example.parsed):
            code, printed = run_line(command)
            if code:
                return f"$ {command}\nends with exit code {code}: {printed}"
        return None


class RBlocks(CodeBlockParser):
    """The runner of `r` blocks: each is a process of its own, which has the variables of those before it."""

    language = "r"

    def evaluate(self, example: Example) -> str | None:
        if not_run(example):
            return None
        before, after = 'if (file.exists(".RData")) load(".RData")', "save.image()"
        Path("block.R").write_text(f"{before}\n{example.parsed}\n{after}\n", encoding="utf-8")
        code, printed = _in_a_shell(f"{R_SCRIPT} block.R")
        if code:
            return f"ends with exit code {code}: {printed}"
        lines, promised = printed.splitlines(), PROMISE.findall(example.parsed)
        return difference(promised, "\n".join(line for line in lines if line.strip() in promised))


R_SCRIPT = "Rscript --vanilla"


def has_r() -> bool:
    """Tell whether R and its jsonlite are here, which `r` blocks need."""
    return not _in_a_shell(f"{R_SCRIPT} -e 'loadNamespace(\"jsonlite\")'")[0]


PARSERS = {parser.language: parser() for parser in (PythonBlocks, ConsoleBlocks, ShellBlocks, RBlocks)}


def run_page(path: Path) -> int:
    """Run all blocks of a page; returns how many there are, or raises the first difference."""
    examples = list(Document.parse(str(path), *PARSERS.values()))
    for example in examples:
        example.evaluate()
    return len(examples)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its line, and how it is marked."""

    language: str
    line: int
    mark: str | None
    reason: str


def blocks_of(path: Path) -> list[Block]:
    """Return all fenced blocks of a page but directives."""
    document = Document(path.read_text(encoding="utf-8"), str(path))
    lexer = FencedCodeBlockLexer(language=r"[^\n{]*", mapping={"language": "arguments", "source": "source"})
    found = []
    for region in lexer(document):
        kind, reason = mark_above(document.text, region.start)
        line = document.text.count("\n", 0, region.start) + 1
        found.append(Block(region.lexemes["arguments"], line, kind, reason))
    return found


def mark_above(text: str, start: int) -> tuple[str | None, str]:
    """Return the kind and the words of the comment that ends right above a place, None and no words without one."""
    line_start = text.rfind("\n", 0, start) + 1
    match = MARK.search(text[:line_start].rpartition("\n\n")[2])
    return (match[1], " ".join(match[2].split())) if match else (None, "")


def not_run(example: Example) -> bool:
    """Tell whether a block is exempted, or needs published files or packages that are not here."""
    kind, words = mark_above(example.document.text, example.start)
    return kind == "not run" or (kind == "needs" and not all(map(is_here, words.split())))


def is_here(needed: str) -> bool:
    """Tell whether a published file, or a package, is on this machine."""
    kind, colon, name = needed.partition(":")
    if colon:
        assert kind == "package", needed
        return importlib.util.find_spec(name) is not None
    return (Path(os.environ.get("MECHDESIGN_DATA") or "no folder") / needed).is_file()


def console_commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block with the lines that each promises to print."""
    commands: list[tuple[str, list[str]]] = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            while line.endswith("\\"):
                line = line.removesuffix("\\") + next(lines).removeprefix(">").lstrip()
            commands.append((line.removeprefix("$ "), []))
        else:
            commands[-1][1].append(line)
    yield from commands


def shell_commands(block: str) -> list[str]:
    """Return the commands of a shell block, each on one line, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip() and not line.lstrip().startswith("#")]


def run_line(command: str) -> tuple[int, str]:
    """Run a command as a terminal would; returns its exit code, and all that it prints."""
    here = HERE.fullmatch(QUOTED.sub(lambda quoted: "_" * len(quoted[0]), command))
    if here is None:
        return _in_a_shell(command)
    line, after = command[: here.end(1)], command[here.end(1) :]
    printed, unheard = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(unheard if after == UNHEARD else printed), contextlib.redirect_stderr(printed):
        code = run(shlex.split(line, comments=True)[1:])
    if after in ("", UNHEARD):
        return code, printed.getvalue()
    code, more = _in_a_shell(f"(exit {code}) {after}")
    return code, printed.getvalue() + more


def _in_a_shell(command: str) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        env={**os.environ, "PATH": path},
        check=False,
    )
    return ran.returncode, ran.stdout


def difference(promised: list[str], printed: str) -> str | None:
    """Say how what was printed differs from what was promised; None where it does not."""
    found = "\n".join(line.rstrip() for line in printed.splitlines())
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else ".*?".join(map(re.escape, line.rstrip().split("..."))) + "\n"
        for line in promised
    )
    if re.fullmatch(pattern, found + "\n" if found else ""):
        return None
    return "promised:\n" + "\n".join(promised) + "\nprinted:\n" + found
