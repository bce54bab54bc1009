"""Run `mechdesign simulate`: see what a mechanism makes of counts, by a seed."""

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.counts.simulation import SimulatedRelease, simulate_release
from mechdesign.documents.storage import read_count_mechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.privacy import loss_above
from mechdesign.rational import fraction_text
from mechdesign_catalog.datasets.counts import GroupedCounts
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import data_options, numbers, options
from mechdesign_cli.parsing.data_options import DataRequest, group_in_public_order, say_what_was_dropped
from mechdesign_cli.showing.histograms import histogram_lines, knows_blocks
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import console, facts

NOT_A_RELEASE = "a SIMULATION, which protects nobody: whoever knows the seed can undo the noise; do not publish it"
SEED = 1


def simulate(
    mechanism: Annotated[Path, typer.Option("--mechanism", help="The design, any matrix that is exact, or a law.")],
    n: options.SizeOfLaw = None,
    data: data_options.Data = None,
    target: data_options.Target = None,
    people: data_options.People = None,
    data_dir: data_options.DataFolder = None,
    input: data_options.Input = None,
    bit: data_options.Bit = None,
    column: data_options.Column = None,
    group: data_options.Group = None,
    group_size: data_options.RowsTogether = None,
    seed: Annotated[
        int,
        typer.Option("--seed", help="Of the noise, and of made-up data.", parser=numbers.seed_number, metavar="SEED"),
    ] = SEED,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file: the true and the simulated count of each group.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show what one release would look like: true counts, counts drawn by a seed, and their errors.

    Nothing is released, and no privacy is spent. mechdesign estimate reads the output (--column simulated).

    Example: mechdesign simulate --data saxony --mechanism wm.json --output simulated.csv
    """
    request = DataRequest(data, target, people, data_dir, input, bit, column, group, group_size)
    request.check()
    require_targets([output] if output else [], None, [mechanism, *request.files_read()], (".csv",))
    matrix = read_count_mechanism(mechanism, n)
    grouped = group_in_public_order(request.read(seed), matrix.n_inputs - 1, seed)
    found = simulate_release(matrix, grouped.counts, seed)
    if output is not None:
        write_and_say({output: found.tabulate().csv_bytes()})
        say(f"{output} holds the true counts: do not publish it")
    say_what_was_dropped(grouped)
    if json:
        print(json_module.dumps(simulation_document(found, grouped), indent=1))
    else:
        show(found, grouped, mechanism)


def simulation_document(found: SimulatedRelease, grouped: GroupedCounts) -> dict[str, Any]:
    """Return the simulation as a JSON document.

    Histograms have an entry for each count 0..n, `errors` for each error -n..n; what is expected is exact but for the
    rounding of floats. `alpha` is the tightest that the mechanism holds.
    """
    alpha = tightest_alpha(found.mechanism.weights, NeighbourGraph.path(found.n + 1)).alpha
    assert alpha is not None  # a mechanism of infinite epsilon is not read
    return {
        "simulation": True,
        "seed": found.seed,
        "warning": NOT_A_RELEASE,
        "data": grouped.source,
        "n": grouped.n,
        "groups": grouped.groups,
        "people": grouped.people,
        "dropped": grouped.dropped,
        "alpha": fraction_text(alpha),
        "epsilon": loss_above(alpha),
        "true": list(found.true_histogram),
        "simulated": list(found.histogram),
        "expected": [float(value) for value in found.expected_histogram],
        "errors": list(found.errors),
        "expected_errors": [float(value) for value in found.expected_errors],
        "mean": {"true": float(found.true.mean()), "simulated": float(found.simulated.mean())},
    }


def show(found: SimulatedRelease, grouped: GroupedCounts, mechanism: Path) -> None:
    """Print what was simulated, how wrong the counts are, and the histogram of the errors."""
    screen = console()
    right, expected = found.errors[found.n], float(found.expected_errors[found.n])
    rows = [
        ("simulated", f"{grouped.groups:,} groups of n = {grouped.n} of {grouped.source}, through {mechanism}"),
        ("seed", f"{found.seed}: {NOT_A_RELEASE}"),
        ("right", f"{right:,} counts; {expected:,.1f} are expected, exactly worked out"),
        ("mean", f"{found.simulated.mean():.4f}; of the true counts {found.true.mean():.4f}"),
    ]
    screen.print(facts(rows, screen.width))
    for title, histogram in (("true", found.true_histogram), ("simulated", found.histogram)):
        print(f"\ngroups by {title} count")
        for line in histogram_lines(histogram, screen.width, knows_blocks()):
            print(line)
