"""The command `mechdesign table compare`: noise tables side by side."""

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.audits.curves import USUAL, CurveAudit, audit_curve, words_of_start
from mechdesign.documents.noise_tables import read_noise_table_file
from mechdesign.documents.tabular import Table
from mechdesign.noise_tables.guarantee import parse_epsilon
from mechdesign.rational import float_above, nearest_float, number_text
from mechdesign_cli.files.output import Output
from mechdesign_cli.python_text import NoPythonError, PythonText
from mechdesign_cli.record import REQUIRED, Command, argument, option
from mechdesign_cli.showing.messages import INDENTED
from mechdesign_cli.showing.noise_tables import DIGITS, delta_text
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.tables import print_table, say_left_out


class CompareOutput(Output):
    """The output of a comparison of noise tables."""

    plot: Path | None = option("Draw the privacy curves to .png, .svg or .pdf.")


class TableCompare(Command):
    """Delta at several epsilons, variance and entropy of noise tables are shown side by side.

    A file is a document of mechdesign table design, or a file of ptable or of the ONS's package.

    Example: mechdesign table compare t.json p5.csv --plot curves.png --output curves.csv
    """

    tables: list[Path] = argument("Noise tables: .json, or .csv of other tools.", default=REQUIRED)
    curve: str | None = option("Epsilons at which delta is shown (0.5,1,2).", metavar="LIST")
    files: CompareOutput

    def run(self) -> None:
        """Read, compare, write and print."""
        self.files.require_targets(self.tables)
        epsilons = parse_curve(self.curve)
        audits = {path.stem: audit_curve(read_noise_table_file(path).table) for path in self.tables}
        table = Table.of([entry for name, audit in audits.items() for entry in _entries(name, audit, epsilons)])
        draw = partial(picture, "noise_tables.plot_noise_tables", {name: audit.table for name, audit in audits.items()})
        document = INDENTED({"rows": table.entries()}) + "\n"
        self.files.deliver_table(document, table.csv_bytes(), draw, partial(_show, table))

    def python(self, text: PythonText) -> None:
        """Refuse: the table is made of several audits."""
        raise NoPythonError("a comparison of noise tables")


def parse_curve(text: str | None) -> tuple[Any, ...]:
    """Read the epsilons of a curve; the usual ones for None."""
    return USUAL if text is None else tuple(parse_epsilon(part) for part in text.split(","))


def _entries(name: str, audit: CurveAudit, epsilons: tuple[Any, ...]) -> list[dict[str, Any]]:
    table = audit.table
    assert table is not None
    variances = [nearest_float(table.variance(count)) for count in range(1, table.last + 1)]
    entropy = sum(table.entropy(count) for count in range(table.last + 1))
    about = {"last_variance": variances[-1], "mean_variance": sum(variances) / len(variances), "entropy": entropy}
    return [
        {
            "table": name,
            "counts": words_of_start(start),
            **{f"delta_{number_text(epsilon)}": float_above(audit.delta(epsilon, start)) for epsilon in epsilons},
            **about,
        }
        for start in audit.starts
    ]


def _show(table: Table) -> None:
    """Print the table with few digits, deltas rounded up."""
    texts = {name: [_text(name, cell) for cell in cells] for name, cells in table.columns.items()}
    say_left_out(print_table(Table(texts), ["entropy", "mean_variance"]))


def _text(name: str, cell: Any) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return delta_text(Fraction(cell)) if name.startswith("delta") else f"{cell:.{DIGITS}g}"
