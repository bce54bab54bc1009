"""Turn results into tables of pandas, polars or pyarrow, whichever of them is installed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mechdesign.errors import InputError, quote

Backend = Literal["pandas", "polars", "pyarrow"]


class Tabular(ABC):
    """A result that is a table: a row for each entry, the same columns in each."""

    @abstractmethod
    def entries(self) -> Sequence[Mapping[str, Any]]:
        """Return the cells of each row by column."""

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Make a table of it: a `pandas.DataFrame`, or one of polars or pyarrow.

        Raises:
            InputError: for another library, or one that is not installed.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise InputError(f"backend must be pandas, polars or pyarrow, got {quote(backend)}")
        import narwhals as nw  # takes longer than most results

        entries = self.entries()
        columns = {name: [entry[name] for entry in entries] for name in (entries[0] if entries else ())}
        try:
            return nw.from_dict(columns, backend=backend).to_native()
        except ModuleNotFoundError:
            raise InputError(f"backend must be installed, got {backend}; pip install {backend}") from None
