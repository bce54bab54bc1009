"""The command `mechdesign local compare`: local oracles side by side on items."""

from functools import partial
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING
from mechdesign_catalog.comparisons.frequency_metrics import KNOWN
from mechdesign_catalog.comparisons.of_oracles import OracleComparison, measure_oracles
from mechdesign_catalog.comparisons.workload_metrics import KNOWN_OF_WORKLOADS
from mechdesign_catalog.datasets.items import ItemCounts, column_counts, open_items, read_domain
from mechdesign_cli.files.output import ComparisonOutput
from mechdesign_cli.parsing import data_options, options
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.data_options import refuse_options, require_one_source
from mechdesign_cli.python_text import CATALOG, Code, NoPythonError, PythonText
from mechdesign_cli.record import Command, Group, option
from mechdesign_cli.showing.comparisons import report_oracles
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import progress_after_a_second


class ItemSource(Group, title="Data"):
    """The items of users: a named set (`data`), or a column of a file (`input`).

    Each has options of its own.
    """

    data: str | None = option(
        "titanic, titanic:class, adult:education, commuting:county, zipf:S and so on; mechdesign data lists all."
    )
    people: data_options.People = None
    k: int | None = option("Number of items in synthetic data (default 32).", metavar="K")
    data_dir: Path | None = option("adult, nursery: the folder of the file; else MECHDESIGN_DATA, else fetched.")
    input: data_options.Input = None
    column: str | None = option("With --input: the column with the item of each user.")
    domain: Path | None = option("With --input: public file of all items, one a line.")

    def files_read(self) -> list[Path]:
        """List the user's files that must not be written over."""
        return [path for path in (self.input, self.domain) if path is not None]

    def read(self, seed: int | None) -> ItemCounts:
        """Read the counts of items; `seed` makes synthetic ones reproducible."""
        require_one_source(self.data, self.input)
        if self.input is None:
            refuse_options({"column": self.column, "domain": self.domain}, "--input", "--data")
            assert self.data is not None
            return open_items(self.data, **self.arguments("data"), seed=seed)
        refuse_options({"people": self.people, "k": self.k, "data-dir": self.data_dir}, "--data", "--input")
        if self.domain is None:
            raise InputError("--domain must be given with --input: a public file of all items, one a line")
        if self.column is None:
            raise InputError(f"--column must be given with --input, got none; a name in the header of {self.input}")
        return column_counts(self.input, self.column, read_domain(self.domain))

    def python(self, text: PythonText, seed: int | None) -> None:
        """Write the line that makes `items`."""
        if self.input is not None:
            text.read_rows(self.input)
            values, name = Code(f"[row[{self.column!r}] for row in rows]"), f"{self.input}, {self.column}"
            text.call("items", text.use(CATALOG, "count_items"), values, self.domain, name=name)
        elif self.data is not None:
            text.call("items", text.use(CATALOG, "open_items"), self.data, **self.arguments("data"), seed=seed)
        else:
            raise NoPythonError("no items")


class Compare(Command):
    """Each metric is shown as the mean of simulated collections.

    Files and --json also have the exact expectation of mse and rmse. Unless --oracles is given, ss takes the subset
    size with the least mean squared error.

    laplace, geometric, stability, central-hh:b=16 and privelet are central baselines, which need a trusted server.

    With --workload, the errors are those of answers to its queries, by oracles and systems of levels.

    Example: mechdesign local compare --data titanic --epsilon 1,2 --oracles grr,oue,laplace --metric rmse,max

    Example: mechdesign local compare --data mixture --epsilon 1 --workload ranges --oracles flat:oue,hh:b=4,haar
    """

    oracles: str | None = option("Names from mechdesign local oracles, or design:PROPS:LOSS, separated by commas.")
    workload: options.WorkloadName = None
    alpha: options.Alphas = None
    epsilon: options.Epsilons = None
    metrics: str | None = option(
        f"Errors to measure, separated by commas: {', '.join(KNOWN)}. "
        f"With --workload: {', '.join(KNOWN_OF_WORKLOADS)}. K and X are whole numbers.",
        "--metric",
    )
    repetitions: int | None = option("Number of simulated collections from all users (default 10).", metavar="TIMES")
    simulate: str | None = option(
        "reports: draw every user's report; aggregate: draw the server's sums from their law."
    )
    post: str | None = option(
        f"{', '.join(POSTPROCESSING)}; raw leaves the estimates as they are.",
        autocompletion=options.words(*POSTPROCESSING),
    )
    seed: options.Seed = None
    source: ItemSource
    files: ComparisonOutput

    def run(self) -> None:
        """Compare oracles, write the files and print."""
        named = files_read(None, self.workload, *(self.oracles or "").split(","))
        self.files.require_targets([*self.source.files_read(), *named])
        data = self.source.read(self.seed)
        comparison = OracleComparison.of(data, **self.arguments("seed"))
        if self.files.plot is not None:
            from mechdesign_figures.plots.oracle_comparison import require_plottable

            require_plottable(comparison.oracles, comparison.metrics.split(","))
        with progress_after_a_second("reporting", comparison.reports) as show:
            rows = measure_oracles(comparison, self.seed, show)
        about = {"data": {"source": data.name, "k": data.k, "users": data.users}, "seed": self.seed}
        self.files.deliver(
            rows,
            about,
            partial(picture, "oracle_comparison.plot_oracle_comparison", rows),
            partial(report_oracles, rows),
        )

    def python(self, text: PythonText) -> None:
        """Write a comparison of oracles on items."""
        self.source.python(text, self.seed)
        text.call("rows", text.use(CATALOG, "compare_oracles"), Code("items"), **self.arguments())
        self.files.python(text, "local compare", "plot_oracle_comparison")
