"""The command `mechdesign table export`: a noise table for another tool."""

from pathlib import Path

from mechdesign.audits.curves import USUAL, audit_curve
from mechdesign.documents.files import require_other_files, require_writable
from mechdesign.documents.noise_tables import ONS, TOOLS, noise_table_text, read_noise_table_file
from mechdesign_cli.endings import DONE
from mechdesign_cli.files.targets import write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import PythonText
from mechdesign_cli.record import REQUIRED, Command, argument, option
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.noise_tables import noise_audit_document, show_noise_audit

SUFFIX = ".csv"
LOOK_UP = {
    ONS: "keys of cells add up, so a cell and its margin do not have independent noise; keys are shuffled here",
}
SORTED = (
    "keys of cells add up and thresholds are sorted: a cell and its margin together tell more than two cells. For "
    "ptable's table, delta of two cells and their sum is 0.18 at epsilon 3; with independent noise it is 0.008"
)


class TableExport(Command):
    """Rounded chances are another table: the file is read back, and its own privacy curve is printed.

    tau-argus and sas take interval ends in units of 1e-8. ons takes a noise for each count and key. It needs a table
    that was designed with --keys. The curve is that of one cell; what the tool's look-up of noise costs is said below.

    Example: mechdesign table export t.json --for tau-argus --output p5.csv
    """

    table: Path = argument("A noise table: .json, or .csv of another tool.", default=REQUIRED)
    tool: str = option(
        "tau-argus, sas or ons.", "--for", default=REQUIRED, metavar="TOOL", autocompletion=options.words(*TOOLS)
    )
    output: Path = option("Write the table to this .csv.", "--output", "-o", default=REQUIRED, writes=(SUFFIX,))
    json: options.Json = False

    def run(self) -> int:
        """Write the file, read it back, and print its curve."""
        require_writable(self.output)
        require_other_files([self.output], [self.table])
        text = noise_table_text(read_noise_table_file(self.table).table, self.tool)
        write_and_say({self.output: text.encode()})
        found = audit_curve(self.output)
        print_result(self.json, noise_audit_document, show_noise_audit, found, self.output, USUAL, None, ())
        say(LOOK_UP.get(self.tool, SORTED))
        return DONE

    def python(self, text: PythonText) -> None:
        """Say that files for other tools are written by the command."""
        text.leave_out(self.output, f"table export {self.table} --for {self.tool}")
