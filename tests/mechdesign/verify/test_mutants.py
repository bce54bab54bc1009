"""A kernel or a reader with one statement changed judges some document otherwise: the tests would notice."""

import json
from random import Random

import pytest
from mutants import cases_of, each_noticed, with_verdict
from random_documents import document_of, random_design
from rule_cases import CASES
from tampering import MALFORMED, TAMPERINGS

from mechdesign import DesignProblem, design

MUTANTS = [
    ("kernel.py", "if qd * row[j] < pd * row[k] or", "if"),
    ("kernel.py", "if q * min(row) < p * max(row):", "if q * max(row) < p * min(row):"),
    ("kernel.py", "all(x <= y if k < peak else x >= y", "all(x <= y if k < peak else True"),
    (
        "kernel.py",
        "return all(b * len(weights) * row[i] >= a * denominator",
        "return all(b * row[i] >= a * denominator",
    ),
    ("kernel.py", "reduced[i][j] -= m * one", "reduced[i][j] -= m * one // 2"),
    ("kernel.py", "constant += m * one // (size * floor[1]) * floor[0]", "constant += m * one"),
    ("kernel.py", "x, y = ratios[length] if kind", "x, y = ratios[1] if kind"),
    ("kernel.py", 'if "S" in properties:', "if False:"),
    ("kernel.py", "        if value < 0:\n", "        if value < 0 and i:\n"),
    ("kernel.py", "p, q = ratios[1]\n        if not monotone:", "p, q = ratios[1]\n        if False:"),
    ("kernel.py", "if m < 0 and kind not in", "if False and kind not in"),
    ("kernel.py", "if not asked or not has_row", "if not has_row"),
    ("kernel.py", "return max(sum(x * w", "return min(sum(x * w"),
    ("document.py", "radius == size - 1 > 1", "radius > 1"),
    ("document.py", "Fraction(size, size - 1) if loss", "Fraction(1) if loss"),
    ("document.py", "p**j * (1 - p)", "(1 - p)**j * p"),
    ("document.py", 'if aggregate != "expected" or', "if"),
    ("document.py", "first + rest", "first + rest + 1"),
    ("document.py", "if a + b == straight", "if a + b != straight"),
    ("enclosures.py", "total += power // (2 * terms + 1)", "total += power"),
    ("proving.py", "set(document.holds) == having", "set(document.holds) <= having"),
    ("proving.py", "proved != stated.lower_bound[0]", "proved < stated.lower_bound[0]"),
    ("proving.py", "status == document.status", "True"),
    ("texts.py", "if len(found) < len(pairs):", "if False:"),
    ("texts.py", "if key not in keys and key not in optional:", "if False:"),
]


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """True, false and malformed documents, with the verdicts of the program as it is."""
    folder = tmp_path_factory.mktemp("documents")
    best = design(DesignProblem(8, "9/10", properties="WH,CM"))
    changed = [(best, change) for change in [*TAMPERINGS, *(change for change, _ in MALFORMED)]]
    changed += [(other, done) for other, change, _ in CASES for done in (dict, change)]
    random = Random(1)
    texts = [json.dumps(document_of(random_design(random))) for _ in range(60)]
    texts.append(texts[-1].replace('{"format"', '{"version": "1", "format"'))
    paths = [folder / f"random-{k}.json" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return [*cases_of(folder, changed), *map(with_verdict, paths)]


test_a_changed_statement_is_noticed = each_noticed(MUTANTS)
