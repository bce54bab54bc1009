"""Check the files that a command writes before the work, and write them together after it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mechdesign.documents.files import Content, require_other_files, require_writable, write_together
from mechdesign.errors import InputError
from mechdesign_cli.showing.messages import say_wrote


def require_targets(
    outputs: Sequence[Path], plot: Path | None, sources: Sequence[Path], suffixes: Sequence[str] = ()
) -> None:
    """Refuse, before the work, files that could not be written, or that would replace what is read.

    Args:
        outputs: files for data, which must end in one of `suffixes` if there are any.
        plot: the picture.
        sources: files that are read.
    """
    for path in outputs:
        if suffixes and path.suffix.lower() not in suffixes:
            raise InputError(f"output must end in {', '.join(suffixes)}, got {path}")
        require_writable(path)
    if plot is not None:
        from mechdesign_figures.plots.parts.saving import require_picture

        require_picture(plot)
        if any(path.resolve() == plot.resolve() for path in outputs):
            raise InputError(f"plot and output must be two files, got {plot} for both")
    require_other_files([*outputs, *([plot] if plot else [])], sources)


def write_and_say(contents: Mapping[Path, Content]) -> None:
    """Write all files or none, and say which they are."""
    write_together(contents)
    for path in contents:
        say_wrote(path)
