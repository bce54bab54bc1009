"""A checker of laws with one statement changed judges some document otherwise: the tests would notice."""

import copy
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from forge_laws import true_laws
from law_documents import CASES, fair_document, geometric, law_document, law_of, raised, shifted
from mutants import each_noticed
from two_checkers import by_program

from mechdesign.verify.layer_duals import LayerDual

MUTANTS = [
    ("layers.py", "least < 2 * b - 1:", "least < 2 * b:"),
    ("layers.py", "if total != corner.unit", "if total < corner.unit"),
    ("layers.py", "p ** (b - j) * q ** (j + 1)", "p ** (b - j) * q ** j"),
    ("layers.py", "yield from kernel.privacy_defects(corner, layer.alpha.as_integer_ratio(), path)", "pass"),
    ("layers.py", 'elif name != "FE" and not _holds(name, layer, least):', "elif False:"),
    ("layers.py", "return self.unit if self.size or self.layer.slopes is None else 0", "return 0"),
    ("layers.py", "return [_Corner(layer), *(", "return [*([_Corner(layer)] if layer.slopes is None else []), *("),
    ("layers.py", "row[-1] * (factor // q) * p", "row[-1] * factor"),
    ("layers.py", "(q - p) * p ** (layer.depth - j)", "(q - p) * p ** (layer.depth - j + 1)"),
    ("layers.py", "ahead(moments[1:], b, power)", "ahead(moments, b, power)"),
    ("layers.py", "ahead(moments, b - i, power)", "ahead(moments, b, power)"),
    ("layers.py", "(1, 2, 1))", "(1, 1, 1))"),
    ("layers.py", "a * (1 + 4 * a + a * a)", "a * (1 + 3 * a + a * a)"),
    ("layers.py", "ahead(moments, n + 1 - i, power)", "ahead(moments, n - i, power)"),
    ("layers.py", "- a * lost /", "- lost /"),
    ("layers.py", "x + Fraction(row[-1], n + 1)", "x + Fraction(row[-1], n)"),
    ("fair.py", "(2 - odd * (1 - alpha)) * x", "2 * x"),
    ("layer_duals.py", "proof.excess[0] + proof.excess[1] / (n + 1)", "proof.excess[0]"),
    ("layer_duals.py", "max(2 * line.far - 1, 2 * line.near)", "2 * line.near"),
    ("layer_duals.py", "2 * (saved - lowering)", "2 * saved - lowering"),
    ("layer_duals.py", "2 * (saved - lowering)", "-2 * lowering"),
    ("layer_duals.py", "if step >= a * slope and", "if"),
    ("layer_duals.py", "self.far = max(self.near, *(m + x for m, x in enumerate(roots)))", "self.far = self.near"),
    ("layer_duals.py", "self.fall(m) / (1 - self.a**2) +", ""),
    ("layer_duals.py", "if line.gain() > 0:", "if line.gain() >= 0:"),
    ("layer_duals.py", "- self.k1 * (b * (b - 1) // 2)", "- 2 * self.k1 * (b * (b - 1) // 2)"),
    ("layer_duals.py", "if top * (p + q) < unit * bottom * p:", "if top * (p + q) <= unit * bottom * p:"),
    ("layer_duals.py", "if (top - row[b] * bottom) * (p + q) + unit * bottom * q < 0:", "if False:"),
    ("layer_duals.py", "(top - row[b] * bottom) * (p + q)", "top * (p + q)"),
    ("layer_duals.py", "if left * one + rest * bottom * unit < 0:", "if False:"),
    ("layer_duals.py", "costs[j] -= x * (unit // self.unit)", "pass"),
    ("layer_duals.py", "line.depth * line.bulk + tail", "line.depth * line.bulk"),
    ("layer_duals.py", "(ups[2 * i] + high) * theta", "high * theta"),
    ("layer_duals.py", "sum(ups[abs(i - j) + i] * x for j, x in enumerate(most))", "0"),
    ("layer_duals.py", "costs = [x + y for x, y in zip(rows[i], least, strict=True)]", "costs = rows[i]"),
    ("layer_duals.py", "found = -(-ups[near + m] * theta // one)", "found = 0"),
    ("layer_duals.py", "(j == m) + (j == n - m)", "(j == m)"),
    ("layer_duals.py", "for i in range(n // 2 + 1):", "for i in range(1):"),
    ("layer_duals.py", "value * q // p, slope * q // p", "value, slope"),
    ("layer_duals.py", "(top * q, bottom * p)", "(top, bottom)"),
    ("layer_duals.py", "i == j == k != h", "i == j == k"),
    ("layer_duals.py", "and max(i, k) < b and", "and"),
    ("layer_duals.py", "if kind not in properties or", "if"),
    ("layer_duals.py", "if m <= 0:", "if False:"),
    ("layer_duals.py", "if (kind, i, j, k, h) in seen:", "if False:"),
    ("layer_duals.py", "found[k][h] -= m", "pass"),
    ("layer_duals.py", "floors += m", "pass"),
    ("laws.py", "n >= least, f", "True, f"),
    ("laws.py", "yield from enclosure_claims(law.privacy)", "pass"),
    ("laws.py", "name in having or", "True or"),
    ("laws.py", "set(law.holds) == set(having)", "set(law.holds) <= set(having)"),
    ("laws.py", "set(law.holds) == set(having)", "set(law.holds) >= set(having)"),
    ("laws.py", "law.n >= first, f", "True, f"),
    ("laws.py", "if law.n > first and not", "if False and not"),
    ("laws.py", "found == stated, f", "True, f"),
    ("laws.py", "found == layered.of_bound, f", "True, f"),
    ("laws.py", "stated.low <= low <= high <= stated.high", "stated.low <= low"),
    ("laws.py", "0 <= stated.high - stated.low <= WIDEST * stated.low", "True"),
    ("laws.py", "(law.power == 0 or not 0 < stated.low < proved)", "not 0 < stated.low < proved"),
    ("laws.py", "not 0 < stated.low < proved", "not stated.low < proved"),
    ("laws.py", "if equal and law.privacy.epsilon is None else", "if equal else"),
    ("laws.py", "wide = any(above.high - below.low > NARROW * above.high for above, below in ends)", "wide = True"),
    ("laws.py", "off <= ROUNDING * abs(stated.low) + LEAST", "True"),
    ("laws.py", "yield epsilon_claim(law.privacy.alpha, law.epsilon)", "pass"),
    ("laws.py", "return n if power == 0 else n + 1", "return n + 1"),
]


def changed(data, *keys, value):
    found = inner = copy.deepcopy(data)
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return found


def laws():
    """Laws of all kinds; of the last J is 14 and B is 1."""
    found = [
        *map(law_of, CASES),
        *true_laws()[1][1:5],
        (*geometric("1/3", 1, 3), (), 1),
        (*geometric("1/2", 0), ("WH",), 0),
    ]
    return [*found, (geometric("4/5", 0)[0], LayerDual(Fraction(4, 5), 1, 1, (18,), ()), (), 2)]


def of_sizes(arguments):
    """A law from its least n on and at some sizes, and false statements of where it begins."""
    layer, dual, _, _ = arguments
    onward = law_document(*arguments)
    least = onward["problem"]["n"]["from"]
    shortest = max(2 * layer.depth, 2 * dual.depth) - 1
    yield onward
    for n in {shortest, shortest + 2, least, least + 20, 300}:
        data = law_document(*arguments, n)
        yield data
        if data["score"]["exact"] is not None:
            score, bound = (Fraction(data[part]["exact"]) for part in ("score", "lower_bound"))
            for other in (bound + (score - bound) / 1000, bound * Fraction(999, 1000)):
                yield changed(data, "lower_bound", value={"exact": str(other), "value": float(other)})
        else:
            for part, key, by in (("score", "high", -(2**-90)), ("score", "high", 2**-80), ("lower_bound", "high", 1)):
                yield changed(data, part, key, value=str(Fraction(data[part][key]) + Fraction(by)))
            ends = {key: str(Fraction(data["score"][key]) - Fraction(1, 2**110)) for key in ("low", "high")}
            yield changed(data, "score", value=data["score"] | ends)
    for n in (least + 1, least - 1):
        yield changed(law_document(*arguments, max(n, shortest)), "problem", "n", value={"from": max(n, 1)})
    yield changed(onward, "problem", "n", value=max(shortest - 1, 1))


def of_claims(arguments):
    """A law with one false claim each."""
    onward = law_document(*arguments)
    for part in ("score", "lower_bound"):
        yield changed(onward, part, "exact", value="99/100")
    yield changed(onward, "score", "value", value=0.1)
    yield changed(onward, "status", value="certified")
    yield changed(onward, "holds", value=onward["holds"][1:])
    yield changed(onward, "holds", value=[*onward["holds"], "F"])
    yield changed(onward, "excess", "layer", value="-1/7")
    yield changed(onward, "excess", "bound", value="-1/7")
    yield changed(onward, "problem", "epsilon", value=0.1)
    yield changed(onward, "problem", "properties", value=[*{*arguments[2], "RH", "WH"}])
    yield changed(onward, "lower_bound", value={"exact": "0", "value": 0})


def of_layers(arguments):
    """A law with one entry changed, or with a weight moved and all else rewritten."""
    layer, dual, properties, power = arguments
    true = law_document(*arguments)
    for j, row in enumerate(layer.rows):
        yield changed(true, "mechanism", "rows", j, j, value=str(row[j] + 1))
    for i in range(layer.depth - 1):
        for j in range(layer.depth):
            for by in (1, layer.rows[i][j] + 1):
                yield law_document(shifted(layer, i, j, i + 1, by), dual, properties, power, 30)


def of_duals(arguments):
    """A law with prices and multipliers changed, and one with lower prices, which is true."""
    layer, dual, properties, power = arguments
    true = law_document(*arguments)
    for j, price in enumerate(dual.prices):
        yield changed(true, "dual", "prices", j, value=str(price + 1))
    lower = replace(dual, prices=tuple(price - 1 for price in raised(dual, 0, -3).prices))
    yield law_document(layer, lower, properties, power)
    rows, b = dual.multipliers, dual.depth
    lists = [rows[1:], *((*rows, row) for row in ROWS), (*rows, ("CM", 1, b, 0, b, 10**9), ("CM", b, 1, b + 1, 1, 1))]
    lists += [(*rows, ("CM", 1, b, 0, b, 10**9)), (*rows, ("CM", b, 1, b + 1, 1, 1))]
    for row in rows:
        half = row[5] // 2
        rest = tuple(one for one in rows if one != row)
        lists += [(*rest, (*row[:5], row[5] + 1)), (*rest, (*row[:5], half), (*row[:5], row[5] - half))]
    for one in lists:
        yield changed(true, "dual", "rows", value=[[*row[:5], str(row[5])] for row in one])


ROWS = (
    ("CM", 1, 1, 2, 1, -1),
    ("CM", 0, 0, 1, 0, 0),
    ("RH", 1, 1, 1, 1, 1),
    ("RM", 0, 0, 0, 1, 1),
    ("WH", 0, 0, 0, 0, 1),
)


def of_fair_laws():
    """The fair law, true and false, and asked by epsilon."""
    for n in (None, 3, 8, 200):
        fair = fair_document("4/5", ["F", "RM"], n)
        yield from (fair, changed(fair, "score", "value", value=0.9), changed(fair, "lower_bound", "value", value=0.9))
    asked = fair_document("4/5", ["F"])
    asked["lower_bound"] = fair_document(Fraction(4, 5) - Fraction(1, 10**9), ["F"])["lower_bound"]
    asked["problem"] |= {"bound_alpha": str(Fraction(4, 5) - Fraction(1, 10**9)), "asked_epsilon": "0.22314355163"}
    asked["problem"]["asked_epsilon"] = "22314355163/100000000000"
    for status in ("exact", "certified"):
        yield changed(asked, "status", value=status)
        yield changed(changed(asked, "status", value=status), "problem", "asked_epsilon", value="1/5")


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """True and false documents, with the verdicts of the program as it is."""
    folder = tmp_path_factory.mktemp("laws")
    found = list(of_fair_laws())
    for arguments in laws():
        for lies in (of_sizes, of_claims, of_layers, of_duals):
            found += lies(arguments)
    paths = [(folder / f"{number}.json", data) for number, data in enumerate(found)]
    for path, data in paths:
        path.write_text(json.dumps(data))
    return [([path], by_program(path)) for path, _ in paths]


test_a_changed_statement_is_noticed = each_noticed(MUTANTS)
