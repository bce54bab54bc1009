"""The command `mechdesign local marginals`: tables of several attributes, from reports."""

from pathlib import Path
from typing import Any

from mechdesign.documents.files import Content
from mechdesign.errors import InputError
from mechdesign_catalog.collection.tasks.domains import attributes_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.systems.tables.consistency.posts import TABLE_POSTS
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.reports import ReportCommand
from mechdesign_cli.python_text import FIGURES, PICTURES, NoPythonError, PythonText
from mechdesign_cli.record import option
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.marginals import POSTS, TableOptions, show_tables, table_picture, table_post, warn_of_tables

DRAWN = 2
"""A picture has a table of at most so many attributes."""


def require_attributes(task: Task, option: str) -> None:
    """Refuse reports of one attribute.

    Raises:
        InputError: naming what was asked of them.
    """
    if task.oracle not in MARGINAL_ORACLES:
        raise InputError(
            f"{option} goes with reports about several attributes, got those of {task.oracle}; "
            "use mechdesign local aggregate"
        )


class Marginals(ReportCommand):
    """The table of --marginal is printed, or all tables of the k attributes that the reports serve.

    All tables agree and total 1, by least squares; standard errors are exact given the shares.

    Example: mechdesign local marginals people.parquet --marginal cc,tip --output m.csv --plot m.png

    Example: mechdesign local marginals people.parquet --output tables.csv
    """

    marginal: str | None = option("The table of these attributes, such as cc,tip; leave it out for all tables.")
    post: str | None = option(f"How tables are estimated: {POSTS}", autocompletion=options.words(*TABLE_POSTS))
    output: Path | None = option(
        "Columns: items of each attribute, share, standard_error, interval.",
        "--output",
        "-o",
        writes=(".csv",),
        metavar="CSV",
    )
    plot: Path | None = option(
        "Draw the table of --marginal, of one or two attributes, to .png, .svg or .pdf.", writes=PICTURES
    )
    json: options.Json = False

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes of the table that is asked for."""
        return () if self.marginal is None else tuple(name.strip() for name in self.marginal.split(","))

    @property
    def asked(self) -> TableOptions:
        """The tables that are asked for."""
        return TableOptions(None, self.names, table_post(self.post))

    def check_together(self) -> None:
        """Refuse a picture of more than one table, or of one of many attributes."""
        if self.plot is not None and not 1 <= len(self.names) <= DRAWN:
            got = f"{len(self.names)} attributes" if self.names else "none"
            raise InputError(f"--plot must be of a --marginal of one or two attributes, got {got}")

    def check(self, task: Task) -> None:
        """Refuse what reports of this task cannot answer."""
        require_attributes(task, "a table")
        oracle, attributes = marginal_oracle_of(task.parameters), attributes_of(task, self.reports.domain)
        self.asked.check(oracle, attributes, writes=self.output is not None)

    def deliver(self, result: Any, checked: CheckedReports) -> None:
        """Write the files, and print the document or the tables."""
        asked = self.asked
        tables = asked.of(result)
        warn_of_tables(result, asked, tables)
        contents: dict[Path, Content] = {}
        if self.output is not None:
            contents[self.output] = asked.tabulate(tables, self.level)
        if self.plot is not None:
            contents[self.plot] = table_picture(result, tables[0], self.level, self.plot.suffix)
        self.write(checked, contents)
        show_tables(result, asked, self.level, checked.document(), tables, self.output, is_json=self.json)

    def python(self, text: PythonText) -> None:
        """Write the estimate of the tables."""
        self.estimated(text)
        if self.names:
            text.call("table", "estimate.table", list(self.names), post=self.post)
            text.add("print(table)")
            content = f"table.tabulate({self.at_level()})"
        else:
            post = "" if self.post is None else f"post={self.post!r}"
            text.add(f"print(estimate.tables({post}))")
            content = f"estimate.tabulate({', '.join(filter(None, [self.at_level(), post]))})"
        if self.output is not None:
            text.write(self.output, f"{content}.csv_bytes()")
        if self.plot is not None:
            if not self.names:
                raise NoPythonError("a picture of many tables")
            text.picture(self.plot, f"{text.use(FIGURES, 'plot_marginal')}(table{self.and_level()})")
