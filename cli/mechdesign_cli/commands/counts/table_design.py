"""The command `mechdesign table design`: the best noise table for counts."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.storage import DOCUMENT_SUFFIX, export_content
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.designing import design_noise_table
from mechdesign.noise_tables.problem import OBJECTIVES, SHAPES, ZEROS
from mechdesign_cli.files.design_output import files_python
from mechdesign_cli.files.output import Output
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import ENGINE, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.noise_tables import show_design
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute


class NoiseTableOutput(Output):
    """The output of a noise table: its document, and a picture of its privacy curve."""

    suffixes: ClassVar[tuple[str, ...]] = (DOCUMENT_SUFFIX,)

    output: list[Path] | None = option("Write the document to .json.", "--output", "-o")
    plot: Path | None = option("Draw the privacy curve to .png, .svg or .pdf.")

    def deliver(self, design: NoiseTableDesign) -> None:
        """Write the files, all or none, then print the document or the report."""
        draw = partial(picture, "noise_tables.plot_noise_tables", {"designed": design})
        self.write(partial(export_content, design), draw)
        print_result(self.json, design_document, show_design, design, write=document_text)


class TableDesign(Command):
    """Noise is bounded, unbiased, of bounded variance, and has a guarantee of (epsilon, delta) that is proved.

    The words are those of ptable: noise up to D, variance V, results 1..js that are never published. A guarantee
    is EPS[:DELTA][@START][=WEIGHT]: for counts from START on, or `large` ones, delta at EPS is at most DELTA. For the
    objective delta, those without DELTA are made as small as possible. Where zeros stay zero, START is 1 unless it is
    given, since empty cells are public; else it is 0. The exit code is 1 if no table meets the demands.

    Example: mechdesign table design --noise 5 --variance 3 --block 2 --guarantee 1:0.02@1 --guarantee 1:0.006@large -o
    t.json

    Example: mechdesign table design --noise 5 --variance 3 --block 2 --objective delta --guarantee 1@1 --keys 256
    """

    noise: int = option("D: the largest noise either way.", default=REQUIRED, metavar="D")
    variance: str = option("V: the largest variance of a row.", default=REQUIRED, metavar="V")
    guarantees: list[str] | None = option(
        "EPS[:DELTA][@START][=WEIGHT], such as 1:0.02@1 (repeatable); none promises nothing.",
        "--guarantee",
        metavar="GUARANTEE",
    )
    variance_equal: bool = option("Ask for exactly V in every row from 1 on.", default=False)
    block: int = option("js: the results 1..JS are never published.", default=0, metavar="JS")
    zeros: str = option(
        "fixed: a true 0 stays 0; perturbed: it has noise too.",
        default="fixed",
        autocompletion=options.words(*ZEROS),
    )
    shape: str = option(
        "unimodal: chances fall away from 0 on either side; left: below 0 alone; none.",
        default="unimodal",
        autocompletion=options.words(*SHAPES),
    )
    symmetric: bool = option("Ask for a symmetric row of large counts.", default=False)
    stay: str = option("The least chance of no noise, where a result may stay.", default="0", metavar="P")
    keys: int | None = option("Ask for chances that are whole shares of K keys, as other tools need.", metavar="K")
    objective: str = option(
        "entropy: the most, as ptable has it; delta: the least weighted sum; variance, L0, L1: the least mean.",
        default="entropy",
        autocompletion=options.words(*OBJECTIVES),
    )
    time_limit: options.TimeLimit = None
    files: NoiseTableOutput

    def run(self) -> None:
        """Design, write the files and print."""
        self.files.require_targets([])
        with line_a_minute("designing"):
            design = design_noise_table(**self.arguments())
        self.files.deliver(design)

    def python(self, text: PythonText) -> None:
        """Write a design, and its files."""
        text.call("design", text.use(ENGINE, "design_noise_table"), **self.arguments())
        files_python(text, self.files.output or [], "design")
        text.add("print(design)")
