"""Design for a workload, and deliver files, document or report."""

import json as json_module
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mechdesign.audits.reading import read_workload_design
from mechdesign.documents.document import document_text
from mechdesign.documents.files import Content
from mechdesign.documents.row_designs.document import workload_design_document
from mechdesign.documents.storage import MECHANISM_SUFFIXES, export_content
from mechdesign.errors import InputError
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.workload_designs import WideGapError, WorkloadDesign, design_workload, require_askable
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.progress import line_a_minute, say_now_and_then
from mechdesign_cli.showing.workload_designs import (
    plan_document,
    show_plan,
    show_workload_design,
    summary_document,
)
from mechdesign_cli.workloads.asked_design import AskedDesign
from mechdesign_cli.workloads.unfinished import DOCUMENT, UnfinishedFile


@dataclass(frozen=True)
class Delivery:
    """Say where a design goes: files, a picture, and what is printed."""

    output: Sequence[Path]
    plot: Path | None
    json: bool
    summary: bool
    plan_only: bool


def solve_workload(asked: AskedDesign, delivery: Delivery, sources: Sequence[Path]) -> None:
    """Design and deliver.

    Raises:
        InputError: for options that do not go together, before the work.
        WideGapError: where the gap stays wider than asked; what was found is delivered before, after Ctrl-C the
            documents alone.
    """
    _check(delivery)
    require_targets(delivery.output, delivery.plot, sources, MECHANISM_SUFFIXES)
    if delivery.plan_only:
        if delivery.json:
            print(json_module.dumps(plan_document(asked.problem), indent=1))
        else:
            show_plan(asked.problem)
        return
    start = None if asked.start is None else read_workload_design(asked.start)
    unfinished = [UnfinishedFile(path, asked.problem) for path in delivery.output if path.suffix.lower() == DOCUMENT]

    def keep(design: WorkloadDesign) -> None:
        for file in unfinished:
            file.write(design)

    require_askable(asked.problem, gap=asked.gap, outputs=asked.outputs, start=start)
    with line_a_minute("designing"):
        try:
            found = design_workload(
                asked.problem,
                gap=asked.gap,
                outputs=asked.outputs,
                start=start,
                time_limit=asked.time_limit,
                tell=say_now_and_then(),
                keep=keep if unfinished else None,
            )
        except WideGapError as error:
            keep(error.design)
            if not error.was_interrupted:
                rest = [path for path in delivery.output if path.suffix.lower() != DOCUMENT]
                deliver_workload_design(error.design, replace(delivery, output=rest))
            onward = next((f"; go on by --start {file.path}" for file in unfinished if file.goes_on), "")
            raise WideGapError(f"{error}{onward}", error.design) from None
    deliver_workload_design(found, delivery)


def deliver_workload_design(found: WorkloadDesign, delivery: Delivery) -> None:
    """Write the files, all or none, then print the document, its summary, or the report in words."""
    contents: dict[Path, Content] = {path: export_content(found, path) for path in delivery.output}
    if delivery.plot is not None:
        from mechdesign_figures.plots.parts.saving import picture_bytes
        from mechdesign_figures.plots.row_heatmap import plot_workload_design

        contents[delivery.plot] = picture_bytes(plot_workload_design(found), delivery.plot.suffix)
    write_and_say(contents)
    for note in exactness_notes(delivery.output, "a .json or .npz"):
        say(note)
    if delivery.summary:
        print(json_module.dumps(summary_document(found), indent=1))
    elif delivery.json:
        print(document_text(workload_design_document(found)), end="")
    else:
        show_workload_design(found)


def _check(delivery: Delivery) -> None:
    if delivery.summary and not delivery.json:
        raise InputError("--summary goes with --json, got it alone; the report without --json is a summary too")
    if delivery.plan_only and (delivery.output or delivery.plot is not None or delivery.summary):
        raise InputError("--plan designs nothing, got it with --output, --plot or --summary; leave one out")
