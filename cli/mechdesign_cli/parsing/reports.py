"""Options of commands on reports: which are counted, where sums are kept, first estimates."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechdesign.counts.estimation import as_confidence
from mechdesign.documents.files import Content, require_other_files, require_writable
from mechdesign.errors import InputError, shorten
from mechdesign.rational import as_rational
from mechdesign.workers.choosing import workers_for
from mechdesign_catalog.analyses.postprocessing import (
    POSTPROCESSING,
    find_postprocessing,
    postprocess,
    square_mechanism,
)
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.servers.collecting import collect_inputs, remarks_on
from mechdesign_catalog.collection.servers.estimating import estimate_state
from mechdesign_catalog.collection.servers.inputs import Countable, Inputs, as_inputs
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.delivered_sums import read_sums
from mechdesign_catalog.collection.states.state_files import is_state_file, require_state_name
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import read_task
from mechdesign_catalog.decoders.decoder import RAW
from mechdesign_catalog.systems import oracle_of
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_cli.files.targets import require_different, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import CATALOG, Code, NoPythonError, PythonText, number_of
from mechdesign_cli.record import Command, Group, argument, option
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.messages import Kind, remark, say
from mechdesign_cli.showing.progress import progress_after_a_second


class ReportSource(Group, title="Reports"):
    """Reports in files, sums of earlier ones in states, or sums that secure aggregation delivered."""

    files: list[Path] | None = argument("Parquet files of reports, and .state files, all of one oracle and domain.")
    domain: Path | None = option("Public list of the items, needed if they are too many to be stored in the files.")
    task: Path | None = option("JSON file of the task; reports of another task are refused.")
    sums: Path | None = option(
        "The sums of the users' vectors: columns part,place,sum; needs --users and --task.", metavar="CSV"
    )
    users: int | None = option("Number of users in --sums.", metavar="N")
    source: str | None = option("Name of the delivery in --sums; with --state it is never counted twice.")
    drop_invalid: bool = option(
        "Leave out reports that no client can have made, instead of refusing the file.", default=False
    )
    jobs: options.Jobs = None
    cluster: options.Cluster = None

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            InputError: for sums without users or a task, or users or a source without sums.
        """
        if self.sums is not None and self.drop_invalid:
            raise InputError("--drop-invalid goes with reports, got it with --sums, which hold no single report")
        if self.sums is not None and (self.task is None or self.users is None):
            raise InputError("--sums goes with --task and --users, got it without them")
        if self.users is not None and self.sums is None:
            raise InputError("--users goes with --sums, got no sums")
        if self.source is not None and self.sums is None:
            raise InputError("--source goes with --sums, got no sums; files of reports have names of their own")

    @property
    def paths(self) -> list[Path]:
        """The files that are read."""
        return [path for path in (*(self.files or ()), self.task, self.sums, self.domain) if path is not None]

    def read(self) -> Inputs:
        """Return the files, and the sums, as what is added up.

        Raises:
            InputError: for reports of another task, and as `as_inputs`, `read_task` and `read_sums`.
        """
        task = None if self.task is None else read_task(self.task)
        given: list[Countable] = list(self.files or ())
        if self.sums is not None and task is not None and self.users is not None:
            given.append(read_sums(self.sums, task, self.users, self.source))
        found = as_inputs(given)
        if task is not None:
            task.require_same(found.task, str(self.task), found.first)
        return found

    def count(self, inputs: Inputs) -> CollectionState:
        """Add up the reports, and remark on what must be known of them."""
        workers = None if self.jobs is None and self.cluster is None else workers_for(self.jobs, cluster=self.cluster)
        with progress_after_a_second("aggregating", 100) as show:
            counted, again = collect_inputs(
                inputs, workers=workers, drop_invalid=self.drop_invalid, report=lambda share: show(int(100 * share))
            )
        for text in remarks_on(inputs.batches, again):
            remark(text)
        return counted


class StateOptions(Group, title="States"):
    """The files of the sums, to be merged later."""

    state: Path | None = option("Write the sums to a .state file, to merge later.")
    seal: bool = option("Replace the names of the counted files in --state by one digest.", default=False)

    def check(self, sources: Sequence[Path], outputs: Sequence[Path]) -> None:
        """Refuse a file that cannot be written, or would replace what is read, but for a state that goes on.

        Raises:
            InputError: naming it; for a seal without a file, or a name that is not that of a state.
        """
        if self.state is None and self.seal:
            raise InputError("--seal goes with --state, got no file")
        if self.state is not None:
            require_state_name(self.state)
            require_writable(self.state)
            require_other_files([self.state], [source for source in sources if not is_state_file(source)])
            if self.state.resolve() in {path.resolve() for path in outputs}:
                raise InputError(f"state and output must be two files, got {self.state} for both")

    def contents(self, counted: CollectionState) -> dict[Path, Content]:
        """Return the state by its file, if that is wanted."""
        return {} if self.state is None else {self.state: (counted.sealed() if self.seal else counted).to_bytes()}


class ReportCommand(Command):
    """A command that counts reports and estimates from their sums."""

    reports: ReportSource
    kept: StateOptions
    confidence: str = option("Confidence of the intervals.", default="0.95")

    @property
    def level(self) -> float:
        """The confidence as a number."""
        return as_confidence(as_rational(self.confidence, "confidence"))

    @property
    def read_besides(self) -> list[Path]:
        """Files that are read beside reports."""
        return []

    @property
    def asks_nothing(self) -> bool:
        """Whether no estimate was asked for, so that a state is all."""
        return False

    @abstractmethod
    def check(self, task: Task) -> None:
        """Refuse, before long files are read, what reports of this task cannot answer."""

    @abstractmethod
    def deliver(self, result: Any, checked: CheckedReports) -> None:
        """Write files and print; `result` is the estimate."""

    def run(self) -> None:
        """Count the reports, estimate, and deliver."""
        self.check_together()
        self.reports.check()
        sources = [*self.reports.paths, *self.read_besides]
        written = self._require_files(sources)
        _ = self.level  # says what is wrong with it
        self.kept.check(sources, written)
        inputs = self.reports.read()
        self.check(inputs.task)
        counted = self.reports.count(inputs)
        if self.kept.state is not None and self.asks_nothing:
            write_and_say(self.kept.contents(counted))
        else:
            checked = CheckedReports(counted)
            found = estimate_state(counted, domain=self.reports.domain)
            self.deliver(found, checked)
            self.note_order(counted.task)
            checked.say(found.items if isinstance(found, FrequencyEstimate) else ())
        note_counted(counted)

    def _require_files(self, sources: Sequence[Path]) -> list[Path]:
        """Return the files that are written; refuse, before any work, those that could not be, or replace others."""
        written: list[Path] = []
        for _, path, _ in self.files_written():
            require_writable(path)
            written.append(path)
        require_different(written)
        require_other_files(written, sources)
        return written

    def check_together(self) -> None:
        """Refuse options that do not go together, before anything is read."""

    def write(self, checked: CheckedReports, contents: Mapping[Path, Content]) -> None:
        """Write the state and these files, all or none."""
        write_and_say({**self.kept.contents(checked.state), **contents})

    def note_order(self, task: Task) -> None:
        """Say what is assumed of the order of the items."""

    def estimated(self, text: PythonText) -> None:
        """Write the lines that make `found`."""
        source = self.reports
        if source.task is not None:
            text.call("task", text.use(CATALOG, "read_task"), source.task)
        if source.sums is not None:
            if source.files or source.source is not None:
                raise NoPythonError("files beside sums, or their source")
            add_up = text.use(CATALOG, "aggregate_sums")
            text.call("estimate", add_up, source.sums, Code(str(source.users)), Code("task"), domain=source.domain)
            return
        names = [str(path) for path in source.files or ()]
        files: object = names[0] if len(names) == 1 else names
        given = {"task": None if source.task is None else Code("task"), "drop_invalid": source.drop_invalid or None}
        if self.kept.state is not None:
            text.call("state", text.use(CATALOG, "collect"), files, **given)
            text.call("", text.use(CATALOG, "write_state"), self.kept.state, Code("state"))
            files, given = Code("state"), {}
        text.call("estimate", text.use(CATALOG, "aggregate"), files, domain=source.domain, **given)

    def at_level(self) -> str:
        """Write the argument for another confidence than the usual one, in Python."""
        return "" if self.confidence == "0.95" else number_of(self.confidence).text

    def and_level(self, name: str = "level=") -> str:
        """Write the same after another argument, by its name."""
        return f", {name}{level}" if (level := self.at_level()) else ""


def note_counted(counted: CollectionState) -> None:
    """Say what must be known of the reports that were counted."""
    if seeds := sorted(counted.provenance.seeds):
        say(f"the reports were seeded with {shorten(', '.join(map(str, seeds)))}: a simulation", Kind.SIMULATED)
    if dropped := counted.provenance.dropped:
        left = f"{dropped:,} report{'s were' if dropped > 1 else ' was'} left out, which no client can have made"
        say(left, Kind.DOUBT)
    if counted.provenance.unguarded:
        say("some reports have no source, so it cannot be checked whether they were counted twice")
    seals = counted.provenance.seals
    if seals and (counted.provenance.sources or len(seals) > 1):
        say("files within a seal are not recognised, so it cannot be checked whether they were also counted elsewhere")


def postprocessed_python(text: PythonText, post: str | None) -> None:
    """Write the post-processing of `found` that is asked for."""
    if post is None:
        return
    if post not in POSTPROCESSING:
        raise NoPythonError(f"post {post}")
    text.call("estimate", text.use(CATALOG, "postprocess"), Code("estimate"), post)


def require_post(task: Task, post: str | None) -> None:
    """Refuse an unknown post-processing, and one that needs a matrix that the reports have not."""
    if find_postprocessing(post or RAW).needs_mechanism:
        square_mechanism(oracle_of(task.parameters))


def require_shares(task: Task) -> None:
    """Refuse reports of a design for a workload that do not determine the shares of all items."""
    if task.oracle == WorkloadOracle.name:
        oracle = oracle_of(task.parameters)
        assert isinstance(oracle, WorkloadOracle)
        oracle.require_items()


def postprocessed_items(estimate: FrequencyEstimate, post: str | None) -> FrequencyEstimate:
    """Return the estimate with the post-processing that is asked for, and remark on it."""
    if post is None:
        return estimate
    processed = postprocess(estimate, post)
    if not processed.is_unbiased:
        remark(
            f"frequencies are post-processed ({processed.post}); standard errors and intervals are those of the "
            "unbiased estimates"
        )
    return processed
