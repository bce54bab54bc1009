"""Claims about the properties together: implications, all subsets, and the flowchart."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from mechdesign.designs import design
from mechdesign.formulas.landscape import formula_landscape, weakest
from mechdesign.methods.flowchart import flowchart_box
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import COLUMN_PROPERTIES, closure
from mechdesign.sweeps.landscape import Landscape, all_subsets, closed_subsets, landscape
from mechdesign.sweeps.subset_designs import with_properties
from mechdesign_figures.claims.claim import FACTS, LEMMAS, THEOREMS, Claim, Setting, alphas
from mechdesign_figures.claims.counts.matrices import has, properties_of_small_matrices
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache

IMPLICATIONS = (("RM", "RH"), ("CM", "CH"), ("CH", "WH"), ("F,RH", "CH"), ("F,CH", "RH"))


def _implications(cache: DesignCache, quick: bool) -> Finding:
    """Over all small matrices: is the conclusion there whenever the premise is?"""
    seen = properties_of_small_matrices()

    def cases() -> Iterator[Case]:
        for premise, conclusion in IMPLICATIONS:
            given = [own for own in seen if own.issuperset(premise.split(","))]
            right = sum(conclusion in own for own in given)
            yield Case(f"{premise} => {conclusion}", 0 < right == len(given), f"{right} of {len(given)} matrices")

    return judge(cases(), note=f"{len(seen)} matrices with n = 2 and 3")


def _no_others(cache: DesignCache, quick: bool) -> Finding:
    """Each closed subset is exactly what some mechanism has: none of them implies anything more."""
    found = set(properties_of_small_matrices())
    wanted = sorted({closure(names) for names in all_subsets()}, key=lambda names: (len(names), sorted(names)))
    free = closed_subsets(DesignProblem(2, "1/2"))
    return judge(
        [Case(", ".join(sorted(names)) or "no property", names in found) for names in wanted],
        note=f"{len(wanted)} closed subsets of the properties, {len(free)} where S is free",
    )


def _grid(quick: bool) -> list[Setting]:
    return [(n, alpha) for n in ((2, 4) if quick else (1, 2, 3, 4, 6, 8)) for alpha in alphas(quick)]


def _landscape(cache: DesignCache, n: int, alpha: Fraction) -> Landscape:
    return landscape(DesignProblem(n, alpha), solve=lambda problem, seconds: cache.design(problem))


def _four_scores(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in _grid(quick):
            found = _landscape(cache, n, alpha)
            named = {cache.score(name, n, alpha) for name in ("GM", "WH", "WM", "EM")}
            scores = [group.score for group in found.classes]
            numbers = f"{_solved(found)}, scores {', '.join(f'{float(score):.6g}' for score in scores)}"
            yield Case(setting(n, alpha), found.is_exact and set(scores) == named, numbers)
        yield from _for_every_alpha(range(2, 4 if quick else 13))

    return judge(cases())


REGIMES = (("", "F"), ("", "CH", "F"), ("", "WH", "CH", "F"))
"""The weakest set of each class, cheapest first, in order of alpha; where n = 2 the second is passed over."""


def _for_every_alpha(sizes: Iterable[int]) -> Iterator[Case]:
    """On all of (0, 1): do the classes change at 1/2 and n/(n+2) alone? Formulas prove it for each n."""
    for n in sizes:
        found = formula_landscape(n=n)
        ends = [region.end.exact for region in found.regions]
        orders = [tuple(",".join(*weakest(group)) for group in region.classes) for region in found.regions]
        expected = [REGIMES[0], ("", "WH", "F")] if n == 2 else [*REGIMES]
        is_right = orders == expected and ends == sorted({Fraction(1, 2), Fraction(n, n + 2), Fraction(1)})
        numbers = f"{len(found.solved)} formulas, {len(ends)} ranges of alpha to {', '.join(map(str, ends))}"
        yield Case(f"n = {n}, every alpha", is_right and not found.crossings, numbers)


def _solved(landscape: Landscape) -> str:
    """The other scores follow from these: see `mechdesign.sweeps.landscape`."""
    return f"{len(landscape.solved)} of {len(landscape.closed)} closed subsets solved"


def _same_score(
    cache: DesignCache, quick: bool, reference: str, strictest: str, chosen: Callable[[frozenset[str]], bool]
) -> Finding:
    """Do the chosen subsets all score as the mechanism named does?

    The landscape takes S for free. So the strictest of the subsets, which has S, is solved outright as well, by the LP
    that knows nothing of symmetry: with S or without it, every other subset lies between.
    """

    def cases() -> Iterator[Case]:
        for n, alpha in _grid(quick):
            found, said = _landscape(cache, n, alpha), cache.score(reference, n, alpha)
            scores = [found.classes[found.class_of(names)].score for names in all_subsets() if chosen(frozenset(names))]
            outright = design(DesignProblem(n, alpha, properties=strictest), method="full", exact=True).score
            worst = max(abs(score - said) for score in [*scores, outright])
            where = f"{setting(n, alpha)}, {len(scores)} subsets"
            numbers = f"{reference} {shown(said)}, {strictest} {shown(outright)}, {_solved(found)}"
            yield Case(where, worst == 0, numbers, miss=worst)

    return judge(cases())


def _rows_are_free(cache: DesignCache, quick: bool) -> Finding:
    """Every subset of WH, RH, RM, S that has WH."""
    return _same_score(
        cache, quick, "WH", "WH,RM,S", lambda names: "WH" in names and not names & {*COLUMN_PROPERTIES, "F"}
    )


def _columns_give_weak(cache: DesignCache, quick: bool) -> Finding:
    """Every subset with CH or CM, without F."""
    return _same_score(
        cache, quick, "WM", "CM,RM,S", lambda names: bool(names & COLUMN_PROPERTIES) and "F" not in names
    )


def _fairness_gives_explicit(cache: DesignCache, quick: bool) -> Finding:
    return _same_score(cache, quick, "EM", "all", lambda names: "F" in names)


def _flowchart(cache: DesignCache, quick: bool) -> Finding:
    """Wherever the flowchart names GM or EM, that mechanism is feasible and its score is the optimum."""

    def cases() -> Iterator[Case]:
        for n, alpha in _grid(quick):
            found, problem = _landscape(cache, n, alpha), DesignProblem(n, alpha)
            boxes = {names: flowchart_box(with_properties(problem, names)).name for names in all_subsets()}
            closed = {names: box for names, box in boxes.items() if box != "LP"}
            forms = {box: cache.mechanism(box, n, alpha) for box in set(closed.values())}
            wrong = [
                names
                for names, box in closed.items()
                if not has(forms[box]).issuperset(names)
                or cache.score(box, n, alpha) != found.classes[found.class_of(names)].score
            ]
            numbers = f"{len(closed)} of {len(boxes)} subsets lead to a formula"
            yield Case(setting(n, alpha), not wrong, numbers, miss=Fraction(len(wrong)))

    return judge(cases())


CLAIMS = (
    Claim(
        "four mechanisms",
        THEOREMS,
        "the subsets of the properties have no other optimal scores than those of GM, WH, WM and EM "
        "(L0, uniform prior; those that differ by S alone are one closed subset, by theorem 8)",
        _four_scores,
    ),
    Claim(
        "WH with rows",
        THEOREMS,
        "WH with any of the row properties and S costs no more than WH alone",
        _rows_are_free,
    ),
    Claim("a column property", THEOREMS, "CH or CM, without F, costs what WM costs", _columns_give_weak),
    Claim("fairness gives EM", THEOREMS, "any subset with F costs what EM costs", _fairness_gives_explicit),
    Claim("the flowchart", THEOREMS, "wherever the flowchart names GM or EM, that mechanism is optimal", _flowchart),
    Claim(
        "implications",
        LEMMAS,
        "RM gives RH, CM gives CH, CH gives WH, F with RH gives CH, F with CH gives RH",
        _implications,
    ),
    Claim("no other implications", FACTS, "the properties imply nothing else of one another", _no_others),
)
