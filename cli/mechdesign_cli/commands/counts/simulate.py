"""The command `mechdesign simulate`: counts drawn from a mechanism by a seed."""

from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.counts.simulation import SimulatedRelease, simulate_release
from mechdesign.documents.storage import read_count_mechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.privacy import loss_above
from mechdesign.rational import fraction_text
from mechdesign_catalog.datasets.counts import GroupedCounts
from mechdesign_cli.files.targets import require_targets, say_true, write_and_say
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.data_options import DataSource, group_in_public_order, note_dropped
from mechdesign_cli.python_text import ENGINE, Code, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import entries_of, print_result
from mechdesign_cli.showing.pictures import print_histogram
from mechdesign_cli.showing.tables import print_facts

NOT_A_RELEASE = "a SIMULATION, which protects nobody: whoever knows the seed can undo the noise; do not publish it"


class Simulate(Command):
    """The output shows what one release would look like: true counts, counts drawn by a seed, and their errors.

    Nothing is released, and no privacy is spent. mechdesign estimate reads the output (--column simulated).

    Example: mechdesign simulate --data saxony --mechanism wm.json --output simulated.csv
    """

    mechanism: Path = option("The design, any matrix that is exact, or a law.", default=REQUIRED)
    n: options.SizeOfLaw = None
    seed: int = option("Seed of the noise and of synthetic data.", default=1, parser=numbers.seed_number)
    output: Path | None = option("The true and the simulated count of each group.", "--output", "-o", metavar="CSV")
    json: options.Json = False
    source: DataSource

    def run(self) -> None:
        """Draw the counts, write the file and print."""
        self.source.check()
        require_targets([self.output], None, [self.mechanism, *self.source.files_read()], (".csv",))
        matrix = read_count_mechanism(self.mechanism, self.n)
        grouped = group_in_public_order(self.source.read(self.seed), matrix.n_inputs - 1, self.seed)
        found = simulate_release(matrix, grouped.counts, self.seed)
        if self.output is not None:
            write_and_say({self.output: found.tabulate().csv_bytes()})
            say_true(self.output, "counts")
        note_dropped(grouped)
        print_result(self.json, simulation_document, partial(show, mechanism=self.mechanism), found, grouped)

    def python(self, text: PythonText) -> None:
        """Write a simulated release of data."""
        self.source.python(text, self.seed)
        text.call("mechanism", text.use(ENGINE, "read_mechanism"), self.mechanism)
        text.add("counts = data.grouped(mechanism.n_inputs - 1).counts")
        text.call("simulation", text.use(ENGINE, "simulate_release"), Code("mechanism"), Code("counts"), self.seed)
        text.add("print(simulation.true_histogram, simulation.histogram)  # a simulation: it protects nobody")
        if self.output is not None:
            text.write(self.output, "simulation.tabulate().csv_bytes()")


def simulation_document(simulated: SimulatedRelease, grouped: GroupedCounts) -> dict[str, Any]:
    """Return the simulation as a JSON document.

    Histograms have an entry for each count 0..n, `errors` for each error -n..n; what is expected is exact but for the
    rounding of floats. `alpha` is the tightest that the mechanism holds.
    """
    alpha = tightest_alpha(simulated.mechanism.weights, NeighbourGraph.path(simulated.n + 1)).alpha
    assert alpha is not None  # a mechanism of infinite epsilon is not read
    return {
        "simulation": True,
        "seed": simulated.seed,
        "warning": NOT_A_RELEASE,
        "data": grouped.source,
        **entries_of(grouped, "n", "groups", "people", "dropped"),
        "alpha": fraction_text(alpha),
        "epsilon": loss_above(alpha),
        "true": list(simulated.true_histogram),
        "simulated": list(simulated.histogram),
        "expected": [float(value) for value in simulated.expected_histogram],
        "errors": list(simulated.errors),
        "expected_errors": [float(value) for value in simulated.expected_errors],
        "mean": {"true": float(simulated.true.mean()), "simulated": float(simulated.simulated.mean())},
    }


def show(simulated: SimulatedRelease, grouped: GroupedCounts, mechanism: Path) -> None:
    """Print what was simulated, how wrong the counts are, and the histogram of the errors."""
    right, expected = simulated.errors[simulated.n], float(simulated.expected_errors[simulated.n])
    rows = [
        ("simulated", f"{grouped.groups:,} groups of n = {grouped.n} of {grouped.source}, through {mechanism}"),
        ("seed", f"{simulated.seed}: {NOT_A_RELEASE}"),
        ("right", f"{right:,} counts; {expected:,.1f} are expected, exactly worked out"),
        ("mean", f"{simulated.simulated.mean():.4f}; of the true counts {simulated.true.mean():.4f}"),
    ]
    print_facts(rows)
    for title, histogram in (("true", simulated.true_histogram), ("simulated", simulated.histogram)):
        print_histogram(f"groups by {title} count", histogram)
