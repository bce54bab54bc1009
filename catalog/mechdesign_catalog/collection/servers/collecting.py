"""Sums of reports and states of one task, by this process, by several, or a cluster."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from math import log2

from mechdesign.arguments import checked
from mechdesign.errors import InputError, shorten
from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice, workers_for
from mechdesign.workers.work_through import work_through
from mechdesign_catalog.collection.reports.batches import Batch, PrivateReports, ReportFile
from mechdesign_catalog.collection.reports.locations import Location
from mechdesign_catalog.collection.reports.row_groups import rows_of_group
from mechdesign_catalog.collection.servers.counting import Unit, UnitSums, count_unit
from mechdesign_catalog.collection.servers.inputs import Countable, Inputs, NamedState, as_inputs
from mechdesign_catalog.collection.servers.tally import Tally
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.provenance import source_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle

UNIT_BYTES = 8 << 20
LARGEST_UNIT = 256 << 20
MANY_UNITS = 64
"""Work is cut into about so many units, of sizes between those two: enough to share, few enough to hand over."""

RARE_BITS = 100
"""Reports that are equal by chance with a probability of less than 2^-100 are no chance."""

WORTH_PROCESSES = 64 << 20
"""Bytes of files that take about as long to read as processes take to begin."""

MOST_IN_UNIT = 500
"""Files of a unit."""


@checked
def collect(
    reports: Countable | Iterable[Countable],
    *,
    task: Task | None = None,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    drop_invalid: bool = False,
    report: Callable[[float], None] = lambda share: None,
) -> CollectionState:
    """Add up reports and states of one task into one state.

    Nothing is counted twice: a file that a given state has counted already changes nothing, which a warning says.

    Args:
        reports: files of reports, what `privatize` returned, states or `.state` files; one or several.
        task: the task that all of them must be of, if that is to be seen to.
        jobs: processes of this machine; None takes one for each usable processor. With more than one, a script must be
            under `if __name__ == "__main__":`.
        cluster: instead, the address of a Dask scheduler, `tcp://HOST:PORT`, or `local`; its workers read the files.
        executor: instead, any `concurrent.futures.Executor`.
        drop_invalid: leave out reports that no client makes, and remember how many; without it they are refused.
        report: told which share of the work is done, from 0 to 1.

    Raises:
        InputError: for reports that do not belong together or stand there twice, states that share a source, damaged
            files, or reports that no client makes. Nothing is counted then.
        MachineError: if a process died, and again when it was tried alone.
        ClusterError: if the cluster cannot be reached, or is lost.

    >>> from mechdesign_catalog import privatize
    >>> days = [privatize([answer], "grr", epsilon=1, domain=["yes", "no"]) for answer in ("yes", "no")]
    >>> collect(days).users
    2
    """
    workers = workers_for(jobs, cluster=cluster, executor=executor)
    inputs = as_inputs(reports)
    if task is not None:
        task.require_same(inputs.task, "the task", inputs.first)
    state, again = collect_inputs(inputs, workers=workers, drop_invalid=drop_invalid, report=report)
    for text in remarks_on(inputs.batches, again):
        warnings.warn(text, stacklevel=3)
    return state


def remarks_on(batches: Sequence[Batch], again: Sequence[str]) -> list[str]:
    """Say which batches were counted before, and which have the same rows under two identities."""
    others = f" and {len(again) - 1} more were" if len(again) > 1 else " was"
    counted = [f"{shorten(again[0])}{others} counted before: nothing changes"] if again else []
    return counted + [f"warning: {text}" for text in same_rows(batches)]


def same_rows(batches: Sequence[Batch]) -> list[str]:
    """Name pairs of files whose reports are the same rows, although chance excludes it; each is told in a line.

    Whoever writes the same reports again under another identity would have their users counted twice. A report is the
    one that another user gave with a chance of at most `1/(1 + alpha)`, so groups of many rows are never equal by
    themselves. Seeded reports, and those of one memory, may be.
    """
    owners: dict[str, Batch] = {}
    found: dict[str, None] = {}
    for batch in batches:
        header = batch.header
        if header.seed is not None or header.memory:
            continue
        oracle = task_oracle(header.task)
        full, bits = rows_of_group(oracle.report_schema), log2(1 + oracle.alpha)
        for number, digest in enumerate(header.groups):
            rows = min(full, header.rows - number * full)
            earlier = owners.setdefault(digest, batch)
            if earlier is not batch and rows * bits >= RARE_BITS:
                text = f"{shorten(batch.name)} has the same reports as {shorten(earlier.name)} under another identity"
                found[f"{text}: their users are counted twice"] = None
    return list(found)


def collect_inputs(
    inputs: Inputs,
    *,
    workers: WorkerChoice | None = None,
    drop_invalid: bool = False,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[CollectionState, list[str]]:
    """Add up what is given; beside the state, return the names of batches that its states had counted already.

    Without `workers` there are as many processes as processors, where files are so large that processes pay.

    Raises:
        InputError, MachineError, ClusterError: as `collect`.
    """
    task = inputs.task
    before = _merged(inputs.states) if inputs.states else CollectionState.empty(task)
    batches, again = _fresh(inputs.batches, before)
    units = [replace(unit, drop_invalid=drop_invalid) for unit in _units(batches, task, inputs.first)]
    tally = Tally([batch.name for batch in batches])
    if workers is not None and workers.cluster is not None:
        units = [replace(unit, batches=[_found_anywhere(batch) for batch in unit.batches]) for unit in units]
    done, total = 0, max(1, sum(unit.size for unit in units))
    if workers is None:
        workers = workers_for(None) if total >= WORTH_PROCESSES else IN_PROCESS
    with workers.open(len(units)) as opened, closing(work_through(count_unit, units, opened)) as coming:
        for outcome in coming:
            part: UnitSums = outcome.result(f"reading {units[outcome.place].batches[0].name}")
            tally.add(part)
            done += units[outcome.place].size
            report(done / total)
    if tally.sums is None:
        return before, again
    return before.merge(CollectionState(task, tally.sums, tally.provenance)), again


def _merged(states: Sequence[NamedState]) -> CollectionState:
    """Merge states; errors name both that cannot be merged."""
    whole = states[0].state
    owners = dict.fromkeys(whole.provenance.sources, states[0])
    for state in states[1:]:
        for source in sorted(state.state.provenance.sources):
            if (earlier := owners.setdefault(source, state)) is not state:
                raise InputError(
                    f"states must share no source, got {shorten(source)} in {earlier.name} and in {state.name}"
                )
        states[0].state.task.require_same(state.state.task, states[0].name, state.name)
        try:
            whole = whole.merge(state.state)
        except InputError as error:
            raise InputError(f"{error}, found when {state.name} was added") from None
    return whole


def _fresh(batches: Sequence[Batch], before: CollectionState) -> tuple[list[Batch], list[str]]:
    """Return the batches that a state has not counted, and the names of those that it has."""
    if not before.provenance.sources:
        return list(batches), []
    seen = [before.has(source_of(batch.header)) for batch in batches]
    fresh = [batch for batch, known in zip(batches, seen, strict=True) if not known]
    return fresh, [batch.name for batch, known in zip(batches, seen, strict=True) if known]


def _units(batches: Sequence[Batch], task: Task, owner: str) -> Iterator[Unit]:
    """Cut the work into pieces: many small files, or some groups of rows of a large one."""
    sizes = [_bytes_of(batch) for batch in batches]
    most = max(UNIT_BYTES, min(LARGEST_UNIT, sum(sizes) // MANY_UNITS))
    first, size = 0, 0
    for place, (batch, more) in enumerate(zip(batches, sizes, strict=True)):
        if place > first and (size + more > most or place - first == MOST_IN_UNIT):
            yield Unit(task, owner, first, batches[first:place], size)
            first, size = place, 0
        if more > most:
            whole = Unit(task, owner, place, [batch], more, digest=batch.header.reports_digest)
            yield from _cut(whole, len(batch.header.groups), most)
            first, size = place + 1, 0
        else:
            size += more
    if first < len(batches):
        yield Unit(task, owner, first, batches[first:], size)


def _cut(unit: Unit, groups: int, most: int) -> Iterator[Unit]:
    """Cut one large batch between groups of rows, so that no piece has many more bytes than `most`."""
    pieces = min(groups, -(-unit.size // most))
    for piece in range(pieces):
        span = piece * groups // pieces, (piece + 1) * groups // pieces
        yield replace(unit, size=unit.size // pieces, groups=span)


def _found_anywhere(batch: Batch) -> Batch:
    """Name a file so that processes with other working folders find it."""
    if isinstance(batch, ReportFile) and not batch.location.is_address:
        return replace(batch, location=Location(os.path.abspath(batch.location.name)))
    return batch


def _bytes_of(batch: Batch) -> int:
    """Return the size of a file, or of what is in memory."""
    if isinstance(batch, ReportFile):
        return batch.location.size
    return len(batch.reports) * task_oracle(batch.header.task).row_bytes if isinstance(batch, PrivateReports) else 0
