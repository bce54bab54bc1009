"""The files of a command: checked before the work, written together after it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mechdesign.documents.files import Content, require_other_files, require_writable, write_together
from mechdesign.errors import InputError
from mechdesign_cli.showing.messages import note_written, say


def require_targets(
    outputs: Iterable[Path | None], plot: Path | None, sources: Iterable[Path | None], suffixes: Sequence[str] = ()
) -> None:
    """Refuse, before the work, files that could not be written, or that would replace what is read.

    Args:
        outputs: files for data, which must end in one of `suffixes` if there are any; None for one not asked for.
        plot: the picture.
        sources: files that are read; None for one that is not given.
    """
    files = [path for path in outputs if path is not None]
    require_different(files)
    for path in files:
        if suffixes and path.suffix.lower() not in suffixes:
            raise InputError(f"output must end in {', '.join(suffixes)}, got {path}")
        require_writable(path)
    if plot is not None:
        from mechdesign_figures.plots.parts.saving import require_picture

        require_picture(plot)
        if any(path.resolve() == plot.resolve() for path in files):
            raise InputError(f"plot and output must be two files, got {plot} for both")
    require_other_files([*files, *([plot] if plot else [])], [path for path in sources if path is not None])


def require_different(files: Sequence[Path]) -> None:
    """Refuse a file that would be written twice."""
    for number, path in enumerate(files):
        if path.resolve() in {other.resolve() for other in files[:number]}:
            raise InputError(f"each output must be a file of its own, got {path} for two")


def say_true(path: Path | None, what: str) -> None:
    """Say that a file, if it was asked for, has the truth."""
    if path is not None:
        say(f"{path} holds the true {what}: do not publish it")


def write_and_say(contents: Mapping[Path, Content]) -> None:
    """Write all files or none, and say which they are."""
    write_together(contents)
    for path in contents:
        note_written(path)
