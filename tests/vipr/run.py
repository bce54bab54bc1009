"""Let a VIPR checker that others wrote judge certificates: `python tests/vipr/run.py VIPRCHK`.

For each design of `program_cases`, and for some larger ones, four files are judged: the certificate, which must pass,
and three that must not: its bound raised by 1e-9; a coefficient of a row that the proof uses changed by 1e-9; an entry
of the matrix changed by 1e-9. viprchk compares a solution only with the constraint of the solution's own number, so
that the first and the last list the matrix once for each constraint, in files of up to `MOST_LISTED` constraints.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "helpers" / "contracts"))

from program_cases import CASES

from mechdesign import DesignProblem, Model, design
from mechdesign.exports.vipr import vipr_lines

NUDGE = Fraction(1, 10**9)
MOST_LISTED = 400
LARGER = [
    DesignProblem(32, "9/10", properties="WH,RM,CM"),
    DesignProblem(64, "9/10", properties="WH,RM,CM"),
    DesignProblem(64, "9/10", loss="L1"),
    DesignProblem(model=Model.ldp(20), alpha="9/10", loss="L1"),
    DesignProblem(model=Model.ldp(20), alpha="9/10", loss="L1", aggregate="worst"),
    DesignProblem(model=Model.lldp(16, 3), alpha="1/2", loss="L2"),
]


@dataclass(frozen=True)
class Parts:
    """A certificate, cut so that parts of it can be changed."""

    before: str
    constraints: list
    bounds: tuple
    solution: list
    multipliers: list

    @classmethod
    def of(cls, text):
        before, rest = text.split("CON ", 1)
        constraints, rest = rest.split("RTP range ", 1)
        bounds, rest = rest.split("\nSOL 1\n", 1)
        solution, rest = rest.split("DER 1\n", 1)
        multipliers = rest.split("{", 1)[1].split("}")[0].splitlines()
        return cls(before, constraints.splitlines(), tuple(bounds.split()), solution.splitlines(), multipliers)

    def text(self, *, listed=False):
        low, high = self.bounds
        times = len(self.constraints) - 1 if listed else 1
        solution = " ".join(self.solution) + "\n"
        derivation = "\n".join([f"DER 1\nproof G {low} OBJ {{{self.multipliers[0]}", *self.multipliers[1:], "} -1\n"])
        constraints = "\n".join(self.constraints)
        return f"{self.before}CON {constraints}\nRTP range {low} {high}\nSOL {times}\n{solution * times}{derivation}"

    @property
    def may_be_listed(self):
        return len(self.constraints) <= MOST_LISTED

    def with_bound_raised(self):
        low, high = map(Fraction, self.bounds)
        return Parts(
            self.before, self.constraints, (low + NUDGE, max(low + NUDGE, high)), self.solution, self.multipliers
        )

    def with_coefficient_changed(self):
        used = [int(line.split()[0]) for line in self.multipliers[1:]]
        number = next(k for k in reversed(used) if self.constraints[1 + k].split()[3] == "2")
        changed = list(self.constraints)
        changed[1 + number] = _nudged(changed[1 + number])
        return Parts(self.before, changed, self.bounds, self.solution, self.multipliers)

    def with_entry_changed(self):
        bounds = self.bounds[0], str(Fraction(self.bounds[1]) + 1)
        changed = [self.solution[0], _nudged(self.solution[1]), *self.solution[2:]]
        return Parts(self.before, self.constraints, bounds, changed, self.multipliers)


def _nudged(line):
    """The line with its last number raised."""
    *words, last = line.split()
    return " ".join([*words, str(Fraction(last) + NUDGE)])


class OracleLaw:
    """Count what a checker says, and what it should have said otherwise."""

    def __init__(self, checker, folder):
        self.checker, self.path = checker, Path(folder) / "certificate.vipr"
        self.counts = {}
        self.faults = []

    def hear(self, what, text, passes, words):
        """Let the checker judge a text; it must pass or not, and say these words."""
        self.path.write_text(text)
        heard = subprocess.run([self.checker, self.path], capture_output=True, text=True)
        if (heard.returncode == 0) != passes or words not in heard.stdout + heard.stderr:
            self.faults.append(f"{what}: exit {heard.returncode}, not {words!r}")
        self.counts[what] = self.counts.get(what, 0) + 1

    def judge(self, result):
        parts = Parts.of("".join(vipr_lines(result)))
        low, high = parts.bounds
        text = parts.text(listed=parts.may_be_listed)
        self.hear("proved", text, True, f"Successfully verified optimal value range [{low}, {high}].")
        raised = parts.with_bound_raised().text()
        self.hear("refused, bound raised by 1e-9", raised, False, "Failed to derive constraint proof")
        changed = parts.with_coefficient_changed().text()
        self.hear("refused, a coefficient changed by 1e-9", changed, False, "Failed to derive constraint proof")
        if parts.may_be_listed:
            moved = parts.with_entry_changed().text(listed=True)
            self.hear("refused, an entry changed by 1e-9", moved, False, "not satisfied")


def main(checker):
    with tempfile.TemporaryDirectory() as folder:
        judge = OracleLaw(checker, folder)
        for result in [*(case.design() for case in CASES), *map(design, LARGER)]:
            judge.judge(result)
    for what, count in judge.counts.items():
        print(f"{count} certificates {what}")
    for fault in judge.faults:
        print(fault)
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
