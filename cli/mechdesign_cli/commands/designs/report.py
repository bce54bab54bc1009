"""Run `mechdesign report`: report on a proved design, and convert its document."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.audits.reading import proved_design
from mechdesign.counts.error_metrics import KNOWN
from mechdesign.designs import Design
from mechdesign.documents.document import document_text
from mechdesign.documents.files import Content
from mechdesign.documents.laws import StoredLaw
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content, read_stored
from mechdesign.errors import InputError
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.releases.record_document import is_record_file
from mechdesign.sweeps.landscape import Landscape, closed_subsets, landscape
from mechdesign.sweeps.subset_designs import with_properties
from mechdesign_catalog.comparisons.of_mechanisms import METRICS, REPETITIONS, measure_mechanisms
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_cli.commands.designs.landscape import report as show_landscape
from mechdesign_cli.comparisons.of_mechanisms import report as show_comparison
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import data_options, numbers, options
from mechdesign_cli.parsing.data_options import DataRequest, refuse_options
from mechdesign_cli.showing.designs import show_design
from mechdesign_cli.showing.laws import show_law
from mechdesign_cli.showing.messages import printable, say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console, facts
from mechdesign_figures.reports.law_report import LawReport, law_page
from mechdesign_figures.reports.limits import USUAL_PRICES
from mechdesign_figures.reports.release_page import release_page
from mechdesign_figures.reports.release_report import report_release
from mechdesign_figures.reports.report import DesignReport, error_comparison

PAGE = ".html"
PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (PAGE, *EXPORT_SUFFIXES, *PICTURES)

PANELS = {
    "What is read and written": ("file", "n", "released", "output", "json", "help"),
    "What a report has besides": ("prices",),
    "Errors on data": (
        *("data", "target", "people", "data_dir", "input", "bit", "column", "group", "group_size"),
        *("metric", "repetitions", "seed"),
    ),
}
"""How the help groups the options."""


def report(
    file: Annotated[
        Path, typer.Argument(help="A design document, .json or .npz, or a law or a record; it is proved again.")
    ],
    n: options.SizeOfLaw = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="The report as .html; or the design as .json, .csv, .npz, .vipr, .lp, .mps, .png, .svg, .pdf "
            "(repeatable).",
            metavar="FILE",
        ),
    ] = None,
    released: Annotated[
        Path | None, typer.Option("--released", help="With the record of a release: its output, to show each group.")
    ] = None,
    prices: Annotated[
        bool | None,
        typer.Option(
            "--prices/--no-prices",
            help=f"The best score under every set of properties; usual in an .html up to n = {USUAL_PRICES}.",
        ),
    ] = None,
    data: data_options.Data = None,
    target: data_options.Target = None,
    people: data_options.People = None,
    data_dir: data_options.DataFolder = None,
    input: data_options.Input = None,
    bit: data_options.Bit = None,
    column: data_options.Column = None,
    group: data_options.Group = None,
    group_size: data_options.RowsTogether = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help=f"Of the errors on data, between commas: {', '.join(KNOWN)}.")
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            help=f"Simulated releases on the data, {REPETITIONS} by default.",
            parser=numbers.whole_number,
            metavar="TIMES",
        ),
    ] = None,
    seed: options.Seed = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Print what was asked and proved, how the design compares, what properties cost, and its errors on data.

    Every claim of the document is proved again, and nothing is solved but the prices. An .html report is one page
    without scripts that needs no network; the other endings convert the document.

    A law, one mechanism for groups of every size, has a report of its own. With --n it is written out for groups of n
    people, as a design: matrix and proof of that size, in files of any ending.

    Example: mechdesign report wm.json --data saxony --output wm.html --output wm.npz

    Example: mechdesign report law.json --n 40 --output forty.csv --output forty.vipr
    """
    outputs = output or []
    source = DataRequest(data, target, people, data_dir, input, bit, column, group, group_size)
    of_designs = {"prices": prices, **_of_data(source, metric, repetitions, seed)}
    if is_record_file(file):
        refuse_options({"n": n, **of_designs}, "a design", f"the release of {file}")
        return _of_release(file, released, outputs, json)
    refuse_options({"released": released}, "the record of a release", "a design")
    stored = read_stored(file)
    if n is None and isinstance(stored, StoredLaw):
        refuse_options(of_designs, "a law with --n", "a law alone")
        return _of_law(stored, file, outputs, json)
    has_data = data is not None or input is not None
    if has_data:
        source.check()
    else:
        refuse_options(_of_data(source, metric, repetitions, seed), "--data or --input", "neither of them")
    require_targets(outputs, None, [file, *source.files_read()], SUFFIXES)
    design = proved_design(stored, file, n)
    require_short_programs(design.problem, outputs)
    has_page = any(path.suffix.lower() == PAGE for path in outputs)
    wanted = has_page and design.problem.n <= USUAL_PRICES if prices is None else prices
    found = _with_errors(DesignReport(design, file.name), source, metric, repetitions, seed, has_data)
    if wanted:
        found = replace(found, prices=_prices(design))
    write_and_say({path: _content(found, path) for path in outputs})
    for note in [*notes_on(design.problem, outputs), *exactness_notes(outputs, "a .json or .npz")]:
        say(note)
    if json:
        print(document_text(found.entries()), end="")
    elif not outputs:
        _show(found)


def _of_release(file: Path, released: Path | None, outputs: list[Path], json: bool) -> None:
    require_targets(outputs, None, [file, *([] if released is None else [released])], (PAGE,))
    found = report_release(file, released)
    write_and_say({path: release_page(found).encode() for path in outputs})
    if json:
        print(document_text(found.entries()), end="")
    elif not outputs:
        screen = console()
        screen.print(facts([(name, text) for name, text in found.facts], screen.width))
        for paragraph in [*found.promise, *found.statement[6:]]:
            screen.print(f"\n{printable(paragraph)}")


def _of_law(stored: StoredLaw, file: Path, outputs: list[Path], json: bool) -> None:
    """Report on a law, for every n."""
    for path in outputs:
        if path.suffix.lower() not in (PAGE, *PICTURES):
            raise InputError(f"--output of a law must end in {', '.join((PAGE, *PICTURES))}, got {path}; state --n")
    require_targets(outputs, None, [file], SUFFIXES)
    found = LawReport(stored.proved(file), file.name)
    write_and_say({path: _law_content(found, path) for path in outputs})
    if json:
        print(document_text(found.entries()), end="")
    elif not outputs:
        show_law(found.law, None)


def _law_content(found: LawReport, path: Path) -> bytes:
    if path.suffix.lower() == PAGE:
        return law_page(found).encode()
    from mechdesign_figures.plots.law_picture import plot_law
    from mechdesign_figures.plots.parts.saving import picture_bytes

    return picture_bytes(plot_law(found.law), path.suffix)


def _of_data(
    source: DataRequest, metric: str | None, repetitions: int | None, seed: int | None
) -> dict[str, object | None]:
    of_source = {name.replace("_", "-"): value for name, value in vars(source).items()}
    return {**of_source, "metric": metric, "repetitions": repetitions, "seed": seed}


def _prices(design: Design) -> Landscape:
    problem = with_properties(design.problem, ())
    with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
        return landscape(problem, on_progress=show)


def _with_errors(
    found: DesignReport,
    source: DataRequest,
    metric: str | None,
    repetitions: int | None,
    seed: int | None,
    has_data: bool,
) -> DesignReport:
    if not has_data:
        return found
    comparison = error_comparison(
        found.design,
        source.read(seed),
        METRICS if metric is None else metric,
        REPETITIONS if repetitions is None else repetitions,
    )
    with progress_after_a_second("releasing", comparison.draws) as show:
        rows = measure_mechanisms(comparison, None if seed is None else seeded_words(seed), show)
    return replace(found, errors=rows, grouped=comparison.grouped)


def _content(found: DesignReport, path: Path) -> Content:
    """Make the content of a file of any ending that is offered."""
    suffix = path.suffix.lower()
    if suffix in EXPORT_SUFFIXES:
        return export_content(found.design, path)
    if suffix == PAGE:
        from mechdesign_figures.reports.page import report_page

        return report_page(found).encode()
    from mechdesign_figures.plots.design_picture import plot_design
    from mechdesign_figures.plots.parts.saving import picture_bytes

    return picture_bytes(plot_design(found.design), suffix)


def _show(found: DesignReport) -> None:
    show_design(found.design)
    if found.prices is not None:
        show_landscape(found.prices, class_names(found.prices), found.design.problem.privacy)
    if found.errors:
        show_comparison(found.errors, found.grouped, "alpha")
