"""Pages of commands, made from the Typer app: the `--help`, an anchor for each option."""

import re
from collections.abc import Iterator
from typing import Any

from mechdesign_cli.commands import ROOMS, SUMMARIES, TITLES
from mechdesign_cli.group import PanelledCommand, help_record, load_command

CODES = """
Exit codes of every command: 0 done; 1 the answer is no (a claim is false, not certified, time limit); 2 bad usage or
input, said in one line; 70 an error that nobody foresaw, in one line too (`MECHDESIGN_TRACEBACK=1` shows the rest);
130 interrupted, 143 terminated. Where standard output is full (exit code 2) it is said which files were written. Files
are written whole or not at all.
"""


def command_pages() -> dict[str, str]:
    """Return the text of each page by file name, the list of all commands first."""
    return {"index.md": index_page()} | {f"{page_name(name)}.md": command_page(name) for name in SUMMARIES}


def page_name(command: str) -> str:
    """Return the file name of a command's page without its ending: a dash for the space of a name of two words."""
    return command.replace(" ", "-")


def index_page() -> str:
    """Return the list of all commands by room, and what holds for each of them."""
    parts = ["# Commands", CODES.strip()]
    for room, commands in ROOMS.items():
        rows = [
            f"| [`mechdesign {name}`]({page_name(name)}.md) | {as_markdown(text)} |" for name, text in commands.items()
        ]
        parts += [f"## {TITLES[room]}", "\n".join(["| command | what it does |", "| --- | --- |", *rows])]
    toctree = "\n".join(f"{name} <{page_name(name)}>" for name in SUMMARIES)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{toctree}\n```"]) + "\n"


def command_page(name: str) -> str:
    """Return a command's page: its help, its examples, and its arguments and options, group by group."""
    command = load_command(name)
    assert isinstance(command, PanelledCommand)
    context = command.make_context(f"mechdesign {name}", ["--help"], resilient_parsing=True)
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"# mechdesign {name}", *described(command.help or ""), f"```{{program}} mechdesign {name}\n```"]
    parts.append(f"## Usage\n\n```text\n{usage}\n```")
    for title, entries in grouped(command, context):
        parts += [f"## {title}", *entries]
    return "\n\n".join(parts) + "\n"


def described(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help; examples become blocks that can be copied."""
    for paragraph in text.split("\n\n"):
        before, *examples = re.split(r"Examples?: (?=mechdesign )", " ".join(paragraph.split()))
        if before:
            yield as_markdown(before)
        for example in examples:
            yield f"```shell\n{example}\n```"


def grouped(command: PanelledCommand, context: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups of arguments and options, as the help of the command groups them, and then the others."""
    found = {parameter.name: parameter for parameter in command.get_params(context)}
    entries = {name: option_entry(parameter, context) for name, parameter in found.items()}
    for title, names in command.panels.items():
        yield title, [entries.pop(name) for name in names]
    for title, wanted in (("Arguments", True), ("Other options" if command.panels else "Options", False)):
        chosen = [entries[name] for name in entries if (found[name].param_type_name == "argument") == wanted]
        if chosen:
            yield title, chosen


def option_entry(parameter: Any, context: Any) -> str:
    """Return the entry of an argument or an option, which other pages can refer to."""
    shown, text = help_record(parameter, context)
    names, _, value = shown.rpartition(", ")[2].partition(" ")
    spellings = [*shown.split(", ")[:-1], names]
    signature = ", ".join(f"{name} {value}".strip() for name in spellings)
    return f":::{{option}} {signature}\n{as_markdown(text)}\n:::"


def as_markdown(text: str) -> str:
    """Return plain text as Markdown that shows the same letters, with options and file names as code."""
    escaped = re.sub(r"([\\`*_<>\[\]{}|$#~])", r"\\\1", text)
    return re.sub(
        r"(?<![\w-])(--[a-z][a-z-]*|mechdesign [a-z-]+(?: [a-z-]+)?(?= --help)|\.[a-z]{2,7}\b)", r"`\1`", escaped
    )
