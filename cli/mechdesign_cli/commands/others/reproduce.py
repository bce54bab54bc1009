"""Run `mechdesign reproduce`: make published figures, tables and claims again."""

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mechdesign.documents.files import require_writable, write_together
from mechdesign.errors import InputError
from mechdesign.workers.choosing import WorkerChoice, workers_for
from mechdesign_cli.files.targets import write_and_say
from mechdesign_cli.parsing import data_options, options
from mechdesign_cli.showing.messages import say, say_wrote
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console, facts

if TYPE_CHECKING:
    from mechdesign_figures.studies.study import Study

GALLERY = "gallery"
LEDGER = "CLAIMS.md"


def reproduce(
    numbers: Annotated[list[str] | None, typer.Argument(help="Studies to run, such as 6.9; none for the list.")] = None,
    all: Annotated[bool, typer.Option("--all", help="Run every study.")] = False,
    claims: Annotated[bool, typer.Option("--claims", help="Measure every claim and write the ledger.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help=f"Folder for {GALLERY}/NUMBER.png, .csv and {LEDGER}.")
    ] = Path("figures"),
    format: Annotated[str, typer.Option("--format", help="Of the pictures: png, svg or pdf.")] = "png",
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    data_dir: data_options.DataFolder = None,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List what can be run, when there is no argument.

    Example: mechdesign reproduce 6.6
    """
    from mechdesign_figures.studies.registry import STUDIES, find_study

    if all and numbers:
        raise InputError(f"studies must be given by number or by --all, got --all and {', '.join(numbers)}")
    studies = list(STUDIES.values()) if all else [find_study(number) for number in dict.fromkeys(numbers or [])]
    if not studies and not claims:
        list_studies(list(STUDIES.values()), json)
        return
    if json:
        raise InputError("--json goes with the list alone, got it with something to run; tables are CSV files")
    suffix = f".{format.lower().lstrip('.')}"
    if suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"format must be png, svg or pdf, got format={format}")
    workers = workers_for(jobs, cluster=cluster)
    missing = []
    if studies:
        missing = run_and_write(studies, output / GALLERY, suffix, workers, data_dir)
    if claims:
        missing += write_claims(output / LEDGER, data_dir)
    if missing:
        raise InputError(missing[0])


def list_studies(studies: Sequence["Study"], json: bool) -> None:
    """Print number, title, setting and remark of each study."""
    if json:
        rows = [{"number": s.number, "title": s.title, "setting": s.setting, "remark": s.remark} for s in studies]
        print(json_module.dumps({"studies": rows}, indent=1))
        return
    screen = console()
    for study in studies:
        screen.print(f"{study.number}  {study.title}", style="bold")
        details = [("    setting", study.setting), ("    remark", study.remark)]
        screen.print(facts([(label, text) for label, text in details if text], screen.width))


def run_and_write(
    studies: Sequence["Study"], folder: Path, suffix: str, workers: WorkerChoice, data_dir: Path | None
) -> list[str]:
    """Run studies and write picture and table of each; returns why some could not be made.

    The two files of a study are written together, as soon as they are there.
    """
    from mechdesign_figures.studies.run import run_studies, work_of

    _make_folder(folder)
    paths = {s.number: (folder / f"{s.number}{suffix}", folder / f"{s.number}.csv") for s in studies}
    for pair in paths.values():
        for path in pair:
            require_writable(path)
    missing: dict[str, str] = {}
    try:
        with progress_after_a_second("designing and measuring", len(work_of(studies)) + len(studies)) as show:
            for made in run_studies(studies, suffix=suffix, workers=workers, data_dir=data_dir, report=show):
                if made.missing is None:
                    picture, table = paths[made.number]
                    write_together({picture: made.picture, table: made.table})
                else:
                    missing[made.number] = made.missing
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()
    for number, (picture, table) in paths.items():
        if number in missing:
            say(f"{number} is left out, for want of its data")
        else:
            say_wrote(picture)
            say_wrote(table)
    return list(missing.values())


def write_claims(path: Path, data_dir: Path | None) -> list[str]:
    """Write the page of claims; returns why some claims could not be measured."""
    from mechdesign_figures.claims.ledger import CLAIMS, claims_page, measure_claims
    from mechdesign_figures.studies.bench import Bench

    _make_folder(path.parent)
    require_writable(path)
    with progress_after_a_second("measuring claims", len(CLAIMS)) as show:
        found = measure_claims(Bench(data_dir=data_dir), report=show)
    write_and_say({path: claims_page(found).encode()})
    return [measured.missing for measured in found if measured.missing]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"output folder must be one that can be made, got {folder} ({error.strerror})") from None
