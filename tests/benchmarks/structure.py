"""What structure buys: designs against peers on the same machine in the same run, and how time grows with n.

    python tests/benchmarks/structure.py                    # both tables; 10 to 20 minutes, mostly peers
    python tests/benchmarks/structure.py --designs          # CPU seconds by size beside the plain model's; 20 minutes
    python tests/benchmarks/structure.py --only "none/L1"   # the rows whose name contains this, no growth
    python tests/benchmarks/structure.py --plot figures/gallery/scaling.png

Measured: for us `design()` complete (solve, certificate, verification by the kernel); for a peer the call that its user
makes, building the problem included. Each solve has a process of its own, warmed up on a tiny question; the time is the
median of up to 15 runs (one, where it takes two seconds or more). Not measured: start-up, imports, and, for peers,
any check of what came out. Beside each peer stand its expected loss less ours (below zero is no merit: the constraints
were bent) and what an exact audit of its float matrix says of its privacy. alpha = 9/10, uniform prior.
"""

import argparse
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import Measured, OracleLaw, Work, load, measured, row
from peers import PEERS
from plain_model import judge_plain, our_clarabel, our_highs, plain_clarabel, plain_highs
from questions import Question, judge_ours, judge_peer, judge_phases, ours, problem_of

from mechdesign import InputError
from mechdesign.methods.plan import make_plan

if TYPE_CHECKING:
    from mechdesign_figures.plots.scaling import Curve

WM = "WH,RM,CM"
LIBQIF = ("libqif CLP", "libqif GLOP")
HIGHS = ("cvxpy HiGHS",)


@dataclass(frozen=True)
class Race:
    """One row: a question, the peers that the target speaks of, others for the record, and the target itself.

    `patient` peers are asked only on demand: they use up their whole cap, or nearly.
    """

    name: str
    question: Question
    rivals: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    patient: tuple[str, ...] = ()
    times_faster: float | None = None
    under_seconds: float | None = None

    def target(self) -> str:
        parts = []
        if self.times_faster is not None:
            parts.append(f"at least {self.times_faster:g} times faster than {', '.join(self.rivals)}")
        if self.under_seconds is not None:
            parts.append(f"under {self.under_seconds:g} s")
        return " and ".join(parts)


INTERIOR = ("libqif CLP interior", "cvxpy Clarabel")
CVXPY = ("cvxpy HiGHS", "cvxpy Clarabel")
RACES = (
    Race("none/L0, n = 128", Question(128), LIBQIF + HIGHS, INTERIOR, times_faster=100),
    Race("none/L1, n = 128", Question(128, loss="L1"), LIBQIF + HIGHS, INTERIOR, times_faster=10),
    Race("WH/L1, n = 512", Question(512, "WH", "L1"), patient=CVXPY, under_seconds=15),
    Race("RM/L2, n = 512", Question(512, "RM", "L2"), patient=CVXPY, under_seconds=15),
    Race("none/L2, n = 512", Question(512, loss="L2"), patient=LIBQIF + CVXPY, under_seconds=15),
    Race("WM/L0, n = 64", Question(64, WM), HIGHS, ("cvxpy Clarabel",), times_faster=3),
    Race("WM/L0, n = 128", Question(128, WM), HIGHS, ("cvxpy Clarabel",), times_faster=3, under_seconds=40),
    Race("LDP/L1, k = 20", Question(20, "none", "L1", model="ldp"), HIGHS, LIBQIF, times_faster=10),
    Race("LDP/L1, k = 100", Question(100, "none", "L1", model="ldp"), under_seconds=5),
)

DESIGNS = (
    ("WM/L0", WM, "L0"),
    ("WH,CM/L1", "WH,CM", "L1"),
    ("CH/L2", "CH", "L2"),
    ("RH,CM/L1", "RH,CM", "L1"),
    ("F,CM/L1", "F,CM", "L1"),
    ("WH/L1", "WH", "L1"),
    ("none/L1", "none", "L1"),
)
DESIGN_SIZES = (8, 16, 32, 64, 128, 256)
LOCAL_SIZES = (30, 100, 300, 1000)
LOCAL_ALPHAS = ("9/10", "1/100")
BANDS = ((60, 20), (120, 40))
"""Items and radius."""

PLAIN = {
    "Clarabel": (plain_clarabel, judge_plain),
    "HiGHS": (plain_highs, judge_plain),
    "Clarabel, our program": (our_clarabel, judge_plain),
    "HiGHS, our program": (our_highs, judge_plain),
}
MODELLED = {name: (PEERS[name], judge_peer) for name in LIBQIF}
"""Solvers of the plain model, and libqif, which knows no properties and whose time has its modelling in it.

Who does not end in time is not asked at larger sizes.
"""

SIZES = (32, 64, 128, 256)
METHODS = ("closed-form", "column-generation", "split-and-cut", "symmetric", "full")


@dataclass(frozen=True)
class Panel:
    """One panel of growth: what is asked at each size, by which of our methods and by whom else."""

    properties: str
    loss: str
    methods: tuple[str, ...]
    peers: tuple[str, ...] = ()
    model: str = "count"


COLUMNS = ("split-and-cut", "symmetric", "full")
PANELS = {
    "no properties, L1": Panel("none", "L1", METHODS, ("cvxpy HiGHS",)),
    "WH + RM + CM, L0": Panel(WM, "L0", COLUMNS, ("cvxpy Clarabel",)),
    "WH + CM, L1": Panel("WH,CM", "L1", COLUMNS, ("cvxpy Clarabel",)),
    "local, L1": Panel("none", "L1", ("active-outputs", "symmetric"), model="ldp"),
}


def run_race(race: Race, cap: float, patient: bool) -> None:
    mine = measured(ours, race.question, judge_ours, cap)
    row(race.name, mine.words, mine.verdict.words if mine.verdict else "")
    results = {}
    for name in race.rivals + race.others + race.patient * patient:
        results[name] = measured(PEERS[name], race.question, judge_peer, cap)
        row(f"    {name}", results[name].words, compared(mine, results[name]))
    row("    target", reached(race, mine, [results[name] for name in race.rivals]), race.target())


def compared(mine: Measured, theirs: Measured) -> str:
    """How many times longer they took, how their loss differs, and what their matrix is."""
    if not mine.seconds or not theirs.at_least:
        return theirs.verdict.words if theirs.verdict else ""
    times = f"{theirs.at_least / mine.seconds:.1f} x"
    if theirs.verdict is None:
        return f"{'> ' + times:>10}"
    difference = theirs.verdict.expected_loss - mine.verdict.expected_loss
    return f"{times:>10}   loss {difference:+.1e}   {theirs.verdict.words}"


def reached(race: Race, mine: Measured, rivals: list[Measured]) -> str:
    """`met`, `MISSED`, or `NOT MEASURED` where an answer is lacking, or a cap too short to tell."""
    if mine.seconds is None:
        late = mine.at_least is not None and race.under_seconds is not None and mine.at_least >= race.under_seconds
        return "MISSED" if late else "NOT MEASURED"
    if race.under_seconds is not None and mine.seconds >= race.under_seconds:
        return "MISSED"
    needed = mine.seconds * (race.times_faster or 0)
    if any(rival.seconds is not None and rival.seconds < needed for rival in rivals):
        return "MISSED"
    return "met" if all(rival.at_least is not None and rival.at_least >= needed for rival in rivals) else "NOT MEASURED"


def run_designs(cap: float, alpha: str, only: str) -> None:
    """Print CPU seconds of designs by size, proof and kernel included, beside those of the plain model's solve."""
    for name, properties, loss in DESIGNS:
        if only not in name:
            continue
        field = PLAIN | (MODELLED if properties == "none" else {})
        for n in DESIGN_SIZES:
            run_design(f"{name}, n = {n}, alpha = {alpha}", Question(n, properties, loss, alpha), field, cap)
    for local_alpha in LOCAL_ALPHAS:
        field = dict(MODELLED)
        for k in LOCAL_SIZES:
            if only in "LDP/L1":
                question = Question(k, "none", "L1", local_alpha, "ldp")
                run_design(f"LDP/L1, k = {k}, alpha = {local_alpha}", question, field, cap)
    field = dict(MODELLED)
    for k, radius in BANDS:
        if only in "LLDP/L1":
            question = Question(k, "none", "L1", "9/10", "lldp", radius)
            run_design(f"LLDP/L1, k = {k}, R = {radius}, alpha = 9/10", question, field, cap)


def run_design(label: str, question: Question, field: dict[str, tuple[Work, OracleLaw]], cap: float) -> None:
    """Print our row and those of the solvers in the field, each with who judges its answer; who fails leaves it."""
    mine = measured(ours, question, judge_phases, cap)
    words = mine.note if mine.cpu is None else f"{mine.cpu:.4f} s CPU"
    least, most = make_plan(problem_of(question)).seconds
    words += f" (estimate {least:.2g} to {most:.2g})"
    row(label, words, f"{mine.words} wall, {mine.verdict.words}" if mine.verdict else "")
    for name, (work, judge) in list(field.items()):
        theirs = measured(work, question, judge, cap)
        if theirs.verdict is None:
            row(f"    {name}", theirs.note, "")
            del field[name]
        elif mine.verdict is not None:
            difference = theirs.verdict.expected_loss - mine.verdict.expected_loss
            whole = f"{theirs.cpu:.3f} s CPU" if judge is judge_peer else ""
            row(f"    {name}", whole, f"{theirs.verdict.words}; loss {difference:+.1e}")


def run_growth(cap: float) -> dict[str, list["Curve"]]:
    """Curves by panel, and their exponents in print."""
    from mechdesign_figures.plots.scaling import Curve

    panels = {}
    for title, panel in PANELS.items():
        methods = panel.methods
        works = {method: (partial(ours, method=method), judge_ours) for method in methods}
        works |= {name: (PEERS[name], no_judge) for name in panel.peers}
        print(f"\n{title}", flush=True)
        points = grown(panel, works, cap)
        panels[title] = [
            Curve(label, tuple(found), tuple(found.values()), ours=label in methods)
            for label, found in points.items()
            if len(found) > 1
        ]
        for curve in panels[title]:
            times = "  ".join(f"{n}: {took:.3g}" for n, took in points[curve.label].items())
            row(f"    {curve.label}", f"n^{curve.exponent:.2f}", times)
    return panels


def grown(panel: Panel, works: dict[str, tuple[Work, OracleLaw]], cap: float) -> dict[str, dict[int, float]]:
    """CPU seconds by label and size. All contestants meet at one size, so that a busy minute hits them alike; whoever
    fails or exceeds the cap leaves the field."""
    points: dict[str, dict[int, float]] = {label: {} for label in works}
    field = dict(works)
    for n in SIZES:
        for label, (work, judge) in list(field.items()):
            result = measured(work, Question(n, panel.properties, panel.loss, model=panel.model), judge, cap)
            if result.cpu is None:
                row(f"    {label}, n = {n}", result.note, "")
                del field[label]
            else:
                points[label][n] = result.cpu
    return points


def no_judge(question: Question, answer: object) -> None:
    """Time is all that a growth curve wants of a peer."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Designs against peers, and how time grows with n.")
    parser.add_argument("--cap", type=float, default=150.0, help="seconds that one solve of a race may take")
    parser.add_argument("--growth-cap", type=float, default=40.0, help="the same for a growth curve")
    parser.add_argument("--designs", action="store_true", help="CPU seconds of designs by size, and nothing else")
    parser.add_argument("--alpha", default="9/10", help="of --designs")
    parser.add_argument("--patient", action="store_true", help="let peers try the largest questions too")
    parser.add_argument("--only", default="", help="run only the races whose name contains this, and no growth")
    parser.add_argument("--plot", type=Path, help="write the growth curves to this picture, and run no races")
    chosen = parser.parse_args()
    from mechdesign_figures.plots.parts.saving import require_picture, save_picture
    from mechdesign_figures.plots.scaling import plot_scaling

    if chosen.plot is not None:
        try:
            require_picture(chosen.plot)
        except InputError as error:
            parser.error(str(error))
    print(load(), flush=True)
    if chosen.designs:
        run_designs(min(chosen.cap, 60.0), chosen.alpha, chosen.only)
        return 0
    if chosen.plot is None:
        for race in RACES:
            if chosen.only in race.name:
                run_race(race, chosen.cap, chosen.patient)
    if not chosen.only:
        panels = run_growth(chosen.growth_cap)
        if chosen.plot is not None:
            save_picture(plot_scaling(panels, x_label="people in a group, or items"), chosen.plot)
    print(load())
    return 0


if __name__ == "__main__":
    sys.exit(main())
