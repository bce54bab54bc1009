"""The command `mechdesign reproduce`: published figures, tables and claims made again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mechdesign.documents.files import require_writable, write_together
from mechdesign.errors import InputError
from mechdesign.workers.choosing import WorkerChoice, workers_for
from mechdesign_cli.files.targets import write_and_say
from mechdesign_cli.parsing import data_options, options
from mechdesign_cli.record import Command, argument, option
from mechdesign_cli.showing.messages import entries_of, note_written, print_result, say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import print_entry

if TYPE_CHECKING:
    from mechdesign_figures.studies.study import Study

GALLERY = "gallery"
LEDGER = "CLAIMS.md"


class Reproduce(Command):
    """The list of what can be run is printed when there is no argument.

    Example: mechdesign reproduce 6.6
    """

    numbers: list[str] | None = argument("Studies to run, such as 6.9; leave it out for the list.")
    all: bool = option("Run every study.", default=False)
    claims: bool = option(f"Measure every claim and write {LEDGER}.", default=False)
    output: Path = option(
        f"Folder for {GALLERY}/NUMBER.png, .csv and {LEDGER}.",
        "--output",
        "-o",
        default=Path("figures"),
        metavar="FOLDER",
    )
    format: str = option("Format of the pictures: png, svg or pdf.", default="png")
    jobs: options.Jobs = None
    cluster: options.Cluster = None
    data_dir: data_options.DataFolder = None
    json: bool = option("Print the list as JSON.", default=False)

    def run(self) -> None:
        """Run studies and measure claims, or list the studies."""
        from mechdesign_figures.studies.registry import STUDIES, find_study

        if self.all and self.numbers:
            raise InputError(f"studies must be given by number or by --all, got --all and {', '.join(self.numbers)}")
        every, numbers = list(STUDIES.values()), dict.fromkeys(self.numbers or [])
        studies = every if self.all else [find_study(number) for number in numbers]
        if not studies and not self.claims:
            list_studies(every, self.json)
            return
        if self.json:
            raise InputError("--json goes with the list alone, got it with something to run; tables are CSV files")
        suffix = f".{self.format.lower().lstrip('.')}"
        if suffix not in (".png", ".svg", ".pdf"):
            raise InputError(f"format must be png, svg or pdf, got format={self.format}")
        workers = workers_for(self.jobs, cluster=self.cluster)
        missing = []
        if studies:
            missing = run_and_write(studies, self.output / GALLERY, suffix, workers, self.data_dir)
        if self.claims:
            missing += write_claims(self.output / LEDGER, self.data_dir)
        if missing:
            raise InputError(missing[0])


def list_studies(studies: Sequence["Study"], json: bool) -> None:
    """Print number, title, setting and remark of each study."""

    def document() -> dict[str, Any]:
        return {"studies": [entries_of(study, "number", "title", "setting", "remark") for study in studies]}

    def show() -> None:
        for study in studies:
            print_entry(f"{study.number}  {study.title}", entries_of(study, "setting", "remark"))

    print_result(json, document, show)


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
            note_written(picture)
            note_written(table)
    return list(missing.values())


def write_claims(path: Path, data_dir: Path | None) -> list[str]:
    """Write the page of claims; returns why some claims could not be measured."""
    from mechdesign_figures.claims.ledger import CLAIMS, claims_page, measure_claims
    from mechdesign_figures.studies.design_cache import DesignCache

    _make_folder(path.parent)
    require_writable(path)
    with progress_after_a_second("measuring claims", len(CLAIMS)) as show:
        found = measure_claims(DesignCache(data_dir=data_dir), report=show)
    write_and_say({path: claims_page(found).encode()})
    return [measured.missing for measured in found if measured.missing]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"output folder could not be made: {folder} ({error.strerror})") from None
