"""Generated pages in a folder of the sources, so that Sphinx reads only what has changed."""

from collections.abc import Mapping
from pathlib import Path

from sphinx.application import Sphinx

from extensions.command_pages import command_pages
from extensions.python_pages import python_pages
from extensions.room_tables import room_tables
from extensions.system_tables import system_tables


def write_generated_pages(app: Sphinx) -> None:
    """Write a page for each command, one for each room of the three packages, and the tables of systems and rooms."""
    reference = Path(app.srcdir) / "reference"
    write_folder(reference / "commands", command_pages())
    write_folder(reference / "python", python_pages())
    write_folder(Path(app.srcdir) / "explanation" / "tables", system_tables() | room_tables())


def write_folder(folder: Path, pages: Mapping[str, str]) -> None:
    """Make the folder hold these texts by file name and nothing else; files that say the same are not touched."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
