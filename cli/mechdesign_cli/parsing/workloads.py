"""Options that say how many items there are, or which attributes, and which queries on them."""

import math

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError, shorten
from mechdesign.workloads.marginals import marginals_on, parse_attributes
from mechdesign.workloads.registry import named_size
from mechdesign.workloads.workload import Workload
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import ENGINE, Code, PythonText
from mechdesign_cli.record import Group, option

MOST_BY_ROWS = 64
"""Items up to which the rows of a design are searched for by themselves: half a minute at 64, minutes at 128."""


class ItemsAndQueries(Group, title="Items and queries"):
    """The items of users, or their attributes, and the queries on them."""

    k: int | None = option("Number of items in the domain (grid:A,B says it).", metavar="K")
    attributes: str | None = option(
        "Instead of --k, for marginals:K: the number of attributes with two items, or the items of each, such as 3,4,2."
    )
    workload: options.WorkloadName = None

    def read(self) -> Workload | int:
        """Return the workload; the number of items where none is named.

        Raises:
            InputError: unless there is either a number of items or attributes, these with a workload of tables.
        """
        k = self.size
        if (k is None) == (self.attributes is None):
            got = "neither" if k is None else "both"
            raise InputError(f"exactly one of --k and --attributes must be given, got {got}")
        if self.attributes is not None:
            if self.workload is None:
                given = shorten(self.attributes)
                raise InputError(f"--attributes goes with --workload marginals:K, got none with {given}")
            return marginals_on(parse_attributes(self.attributes), self.workload)
        assert k is not None
        return k if self.workload is None else parse_workload(self.workload, k)

    @property
    def size(self) -> int | None:
        """The number of items that was given, or that the workload says."""
        if self.k is not None or self.attributes is not None or self.workload is None:
            return self.k
        return named_size(self.workload)

    def python(self, text: PythonText) -> None:
        """Write the line that makes `workload`."""
        name, k = self.workload, self.size
        if self.attributes is not None:
            domains = parse_attributes(self.attributes)
            name, k = f"{name}:{','.join(map(str, domains))}", math.prod(domains)
        text.call("workload", text.use(ENGINE, "parse_workload"), name, Code(str(k)))
