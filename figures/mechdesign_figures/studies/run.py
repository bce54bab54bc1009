"""The run of studies in processes: designs first, each once, then tables and pictures."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.canonical import canonical_design
from mechdesign.designs import Design
from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice, workers_for
from mechdesign.workers.work_through import work_through
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.registry import find_study
from mechdesign_figures.studies.study import Row, Study, table_text

Solved = dict[DesignProblem, Design]


@dataclass(frozen=True)
class StudyResult:
    """The table and the picture of one study, or why there is none (its data are missing)."""

    number: str
    table: bytes = b""
    picture: bytes = b""
    missing: str | None = None


@dataclass(frozen=True)
class _Order:
    """One study for a worker; functions do not travel between processes, so it goes by number."""

    number: str
    quick: bool
    suffix: str
    solved: Solved
    data_dir: Path | None


@dataclass(frozen=True)
class Reproduction:
    """A study that was run again: its table, every row with `study.columns`, and the picture of it."""

    study: Study
    rows: tuple[Row, ...]
    figure: Figure

    @property
    def table(self) -> str:
        """The table as CSV."""
        return table_text(self.study, self.rows)


@checked
def reproduce(
    number: str,
    *,
    quick: bool = False,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    data_dir: FilePath | None = None,
) -> Reproduction:
    """Run a published figure or table again.

    Args:
        number: of the study, such as `6.9`; `STUDIES` has them all.
        quick: a reduced form with the same columns.
        jobs, cluster, executor: who designs its mechanisms, as `mechdesign.sweep` takes them.
        data_dir: folder of published files that it needs; by default the usual places.

    Raises:
        InputError: for an unknown number, with the nearest known one, or where data that it needs cannot be had.
    """
    study, workers = find_study(number), workers_for(jobs, cluster=cluster, executor=executor)
    cache = DesignCache(data_dir=None if data_dir is None else Path(data_dir))
    for need in study.needs:
        cache.require(need)
    rows = study.rows(DesignCache(_designed(work_of([study], quick), workers), cache.data_dir), quick)
    with house_style():
        return Reproduction(study, tuple(rows), study.draw(rows))


def run_studies(
    studies: Sequence[Study],
    *,
    suffix: str = ".png",
    workers: WorkerChoice = IN_PROCESS,
    quick: bool = False,
    data_dir: Path | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> Iterator[StudyResult]:
    """Run studies and yield table and picture of each as they come.

    Those whose data are missing come at once, before any work.

    Args:
        studies: of the listing.
        suffix: of the pictures, `.png`, `.svg` or `.pdf`.
        workers: who designs, as `workers_for` chooses them, this process by default; what reads data is done by as many
            processes of this machine.
        quick: the reduced forms.
        data_dir: folder of the published files, None for the usual places.
        report: told how many of `len(work_of(studies)) + len(studies)` pieces are done.
    """
    missing = _missing_data(studies, data_dir)
    yield from (StudyResult(number, missing=reason) for number, reason in missing.items())
    ready = [study for study in studies if study.number not in missing]
    solved = _designed(work_of(ready, quick), workers, report)
    orders = [
        _Order(study.number, quick, suffix, {p: solved[p] for p in study.problems(quick)}, data_dir) for study in ready
    ]
    with workers.here.open(len(orders)) as opened:  # with data: they stay on this machine
        for done, outcome in enumerate(work_through(_make, orders, opened), start=1):
            made = outcome.result(f"study {orders[outcome.place].number}")
            report(len(solved) + len(missing) + done)
            yield made


def _designed(
    problems: Sequence[DesignProblem], workers: WorkerChoice, report: Callable[[int], None] = lambda done: None
) -> Solved:
    """Design for every problem; the first that fails ends it."""
    solved: Solved = {}
    with workers.open(len(problems)) as opened:
        for outcome in work_through(canonical_design, problems, opened, lambda: report(len(solved))):
            problem = problems[outcome.place]
            solved[problem] = outcome.result(f"the design of {problem.describe()}")
            report(len(solved))
    return solved


def _missing_data(studies: Sequence[Study], data_dir: Path | None) -> dict[str, str]:
    """Studies whose data cannot be had, and why; found out before any work."""
    cache, missing = DesignCache(data_dir=data_dir), {}
    for study in studies:
        try:
            for need in study.needs:
                cache.require(need)
        except InputError as error:
            missing[study.number] = str(error)
    return missing


def work_of(studies: Sequence[Study], quick: bool = False) -> list[DesignProblem]:
    """List every design that some study needs, once; the largest first, so that none is left for the end."""
    distinct = dict.fromkeys(problem for study in studies for problem in study.problems(quick))
    return sorted(distinct, key=lambda problem: problem.size, reverse=True)


def _make(order: _Order) -> StudyResult:
    study = find_study(order.number)
    cache = DesignCache(order.solved, order.data_dir)
    rows = study.rows(cache, order.quick)
    with house_style():
        picture = picture_bytes(study.draw(rows), order.suffix)
    return StudyResult(study.number, table_text(study, rows).encode(), picture)
