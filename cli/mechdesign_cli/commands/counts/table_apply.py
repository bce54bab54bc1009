"""The command `mechdesign table apply`: tables of counts, published through a noise table."""

from pathlib import Path

from mechdesign.table_releases.applying import TableRelease, apply_noise_table
from mechdesign_cli.files.targets import say_true
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import ENGINE, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import note_written, print_result, say
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.tables import console, print_facts


class TableApply(Command):
    """Every cell has its own noise, made by a secret from its name: the same command again gives the same cells.

    Each --by is a table; its margins are published with it, down to the total. One row of the input is one protected
    unit. The first run makes the secret. With the secret, all noise can be undone, so only the office may read it.
    Another extract of the data needs another --name, whether or not anybody changed.

    Example: mechdesign table apply --table t.json --input people.csv --by class,sex,survived --secret office.secret
    --name titanic --output cells.csv --record release.json
    """

    table: Path = option("The noise table, a .json of mechdesign table design.", default=REQUIRED)
    input: Path = option("A CSV or Parquet file with a row for each unit.", default=REQUIRED)
    by: list[str] = option(
        "The variables of a table, separated by commas (repeatable).", default=REQUIRED, metavar="VARIABLES"
    )
    secret: Path = option("The office's secret; it is made if there is none.", default=REQUIRED)
    name: str = option("The name of the release, one for each extract.", default=REQUIRED)
    output: Path = option("Write the cells to this .csv.", "--output", "-o", default=REQUIRED, writes=(".csv",))
    record: Path = option("Write the record to this .json.", default=REQUIRED, writes=(".json",))
    domain: Path | None = option("Public items, a CSV file column,item: all their cells are published.", metavar="CSV")
    unit_column: str | None = option("The column that names the units; each must have one row.", metavar="COLUMN")
    hide: int = option("Released counts below T are written as one mark.", default=0, metavar="T")
    keep_true: bool = option("Write the true counts too, for the office alone.", default=False)
    json: options.Json = False

    def run(self) -> None:
        """Count, draw, write and print what is promised."""
        with line_a_minute("releasing"):
            found = apply_noise_table(**self.arguments("json"))
        for path in (self.output, self.record):
            note_written(path)
        if found.made_secret:
            say(f"made the secret {self.secret}: keep a copy, and let nobody else read it")
        say_true(self.output if self.keep_true else None, "counts")
        print_result(self.json, lambda release: release.record, show_release, found)

    def python(self, text: PythonText) -> None:
        """Write the release."""
        text.call("release", text.use(ENGINE, "apply_noise_table"), **self.arguments("json"))
        text.add("print(release.record['statement'])")


def show_release(found: TableRelease) -> None:
    """Print how many cells were published, and what is promised."""
    variables = ", ".join(found.counted.variables)
    hidden = sum(value is None for value in found.released.values())
    cells = f"{len(found.released):,} of {variables} and all margins" + (f", {hidden:,} hidden" if hidden else "")
    print_facts([("cells", cells)])
    for sentence in found.record["statement"]:
        console().print(sentence, soft_wrap=False)
