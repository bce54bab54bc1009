"""Files of states."""

from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath, require_readable, whole_binary_file
from mechdesign.errors import InputError
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.state_bytes import require_format

SUFFIX = ".state"
_FIRST_BYTES = 60


def is_state_file(name: FilePath) -> bool:
    """Return by its suffix whether a file is to hold a state."""
    return str(name).lower().endswith(SUFFIX)


@checked
def read_state(path: FilePath) -> CollectionState:
    """Read a state from a file.

    Raises:
        InputError: for a file that is missing, unreadable, cut off or changed, or of another format.
    """
    require_readable(path)
    try:
        with open(path, "rb") as stream:
            first = stream.read(_FIRST_BYTES)
            require_format(first, str(path))
            content = first + stream.read()
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
    return CollectionState.from_bytes(content, str(path))


@checked
def write_state(path: FilePath, state: CollectionState) -> None:
    """Write a state to a file, whole or not at all; it may replace one that was read.

    Raises:
        InputError: for another suffix, or a file that cannot be written.
    """
    require_state_name(path)
    with whole_binary_file(Path(path)) as stream:
        stream.write(state.to_bytes())


def require_state_name(path: FilePath) -> None:
    """Refuse a name that would not be recognised as that of a state."""
    if not is_state_file(path):
        raise InputError(f"a state must be written to a {SUFFIX} file, got {path}")
