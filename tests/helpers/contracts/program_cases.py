"""Problems of every model and aggregate whose programs and proofs are written to files: ten or more of each."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign import DesignProblem, Loss, Model, Prior, design

LOPSIDED = Loss.from_matrix([[Fraction(abs(i - j) * (i + 1), 2) - Fraction(i, 3) for j in range(5)] for i in range(5)])
SKEWED = Prior.from_weights([Fraction(2, 5), Fraction(3, 10), Fraction(3, 20), Fraction(1, 10), Fraction(1, 20)])


@dataclass(frozen=True)
class ProgramCase:
    model: Model
    alpha: str
    properties: str
    loss: str | Loss
    prior: str | Prior | None
    aggregate: str
    method: str

    def problem(self):
        return DesignProblem(
            model=self.model,
            alpha=self.alpha,
            properties=self.properties,
            loss=self.loss,
            prior=self.prior,
            aggregate=self.aggregate,
        )

    def design(self):
        return design(self.problem(), method=self.method)

    @property
    def name(self):
        return f"{self.problem().describe()}, {self.aggregate}, {self.method}".replace("/", "|")


def line(*points):
    return Model.metric([[abs(a - b) for a in points] for b in points])


RING = Model.metric([[min(abs(a - b), 6 - abs(a - b)) for a in range(6)] for b in range(6)])
TRIANGLE = Model.metric([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
ROUNDED = Model.metric([["0", "1", "2.5"], ["1", "0", "2"], ["2.5", "2", "0"]], unit=1)
HALF = Model.metric([["0", "1/2"], ["1/2", "0"]])
FRACTIONS = Model.metric(
    [["0", "0.3", "0.7", "1"], ["0.3", "0", "0.4", "0.7"], ["0.7", "0.4", "0", "0.5"], ["1", "0.7", "0.5", "0"]]
)
NEAR = Model.metric([["0", "0.01", "1"], ["0.01", "0", "0.99"], ["1", "0.99", "0"]])
ALL_ONE = Model.metric([[int(a != b) for a in range(5)] for b in range(5)])

# size, alpha, properties, loss, prior (of an expected loss), method
RULES = [
    (1, "9/10", "none", "L0", None, "auto"),
    (1, "1/2", "all", "L2", None, "auto"),
    (4, "9/10", "WH,CM", "L0", None, "auto"),
    (5, "62/100", "none", "L1", "binomial:1/3", "auto"),
    (5, "9/10", "RM,S", "L2", None, "symmetric"),
    (7, "62/100", "WH,RM,CM", "L0", None, "full"),
    (4, "7/10", "F,RH", "PB:3/4", SKEWED, "auto"),
    (5, "4/5", "FE,CH", "L0:1", None, "auto"),
    (4, "3/4", "OS:1/2,WH:1/2", LOPSIDED, SKEWED, "auto"),
    (6, "9/10", "all", "L1", None, "auto"),
    (4, "7/10", "S,RH", "PB:1/4", SKEWED, "auto"),
    (4, "1/3", "WH:3/2,RM,FE", "L1:1", None, "auto"),
]

ON_PATHS = [
    (8, "9/10", "RH", "L2", None, "column-generation"),
    (9, "3/10", "WH,RM", "L1", "binomial:1/10", "column-generation"),
    (4, "7/10", "F", LOPSIDED, SKEWED, "column-generation"),
]

METRICS = [
    (line(0, 1), "1/2", "none", "L0", None, "auto"),
    (line(0, 1, 3, 4, 8), "3/4", "none", "L2", SKEWED, "auto"),
    (line(0, 1, 3, 4, 8), "3/4", "RM", "L1", None, "column-generation"),
    (line(0, 2, 3, 4, 8), "9/10", "S,CM", LOPSIDED, SKEWED, "auto"),
    (RING, "1/2", "none", "L0", None, "auto"),
    (RING, "2/3", "RM,CM,S", "L1", "binomial:1/3", "auto"),
    (TRIANGLE, "9/10", "WH,F", "L2", None, "auto"),
    (ROUNDED, "9/10", "RH", "L0", None, "auto"),
    (HALF, "1/4", "none", "L0", None, "auto"),
    (HALF, "1/2", "none", "L0", None, "auto"),
    (FRACTIONS, "1/2", "none", "L1", None, "auto"),
    (FRACTIONS, "2/3", "RM,CM", "L2", None, "full"),
    (NEAR, "1/2", "RH", "L0", None, "auto"),
    (ALL_ONE, "3/5", "none", "L1", None, "auto"),
    (ALL_ONE, "3/5", "RM,OS:1/3", "PB:2/3", SKEWED, "auto"),
    (ALL_ONE, "3/5", "F", LOPSIDED, SKEWED, "auto"),
]


def _models():
    """(model, rule) for each of the four models."""
    yield from ((Model.count(size), rule) for size, *rule in RULES + ON_PATHS)
    yield from ((Model.ldp(size + 1), rule) for size, *rule in RULES)
    yield from ((Model.lldp(size + 1, min(size, 2 + size // 6)), rule) for size, *rule in RULES)
    yield Model.lldp(9, 7), ["9/10", "none", "L2", None, "auto"]
    yield from ((model, rule) for model, *rule in METRICS)


CASES = [
    ProgramCase(model, alpha, properties, loss, prior if aggregate == "expected" else None, aggregate, method)
    for model, (alpha, properties, loss, prior, method) in _models()
    for aggregate in ("expected", "worst")
]
