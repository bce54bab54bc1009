"""The command `mechdesign local task vectors`: test vectors for clients' programs."""

from pathlib import Path

from mechdesign.documents.files import require_writable, write_together
from mechdesign.errors import InputError
from mechdesign_cli.record import REQUIRED, Command, argument
from mechdesign_cli.showing.messages import say


class TaskVectors(Command):
    """The vectors are values, random bytes, reports and exact estimates: the same on every machine.

    REPORTS.md says how to read them. A client in another language is right if it makes each message from the value and
    the random bytes.

    Example: mechdesign local task vectors vectors
    """

    folder: Path = argument(
        "Folder for the JSON files, one for each oracle; created if it is missing.", default=REQUIRED
    )

    def run(self) -> None:
        """Write the files, all or none."""
        from mechdesign_catalog.reference.vectors.vector_files import vector_files

        is_new = make_folder(self.folder)
        try:
            files = {self.folder / name: text.encode("utf-8") for name, text in vector_files().items()}
            for path in files:
                require_writable(path)
            write_together(files)
        except BaseException:
            if is_new and not any(self.folder.iterdir()):
                self.folder.rmdir()
            raise
        say(f"wrote test vectors of {len(files)} oracles to {self.folder}")


def make_folder(folder: Path) -> bool:
    """Make a folder unless it is there; tell whether it is new.

    Raises:
        InputError: where a file is in its place, or it cannot be made.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        if folder.is_dir():
            return False
        raise InputError(f"folder must not be a file, got {folder}") from None
    except OSError as error:
        raise InputError(f"folder could not be made: {folder} ({error.strerror})") from None
    return True
