"""A checker of workload designs with one statement changed judges some document otherwise: the tests would notice."""

import copy
import json

import pytest
from mutants import each_noticed
from row_documents import document
from row_tampering import CASES, FALSE_CLAIMS, LIES, MALFORMED, MALFORMED_CUTS, OF_KINDS, lie
from two_checkers import by_program

MUTANTS = [
    ("workloads.py", "k - max(u, v) for v", "k - min(u, v) for v"),
    ("workloads.py", "(min(u, v) + 1) * (k - max(u, v))", "(min(u, v)) * (k - max(u, v))"),
    ("workloads.py", "max(0, min(u, v, k - length)", "max(1, min(u, v, k - length)"),
    ("workloads.py", "rows[a][c] * columns[b][d]", "rows[a][c] * columns[a][d]"),
    ("workloads.py", "cells[(u ^ v).bit_count()]", "cells[(u & v).bit_count()]"),
    ("workloads.py", "comb(sum(map(int.__eq__, a, b)), way)", "comb(sum(map(int.__eq__, a, b)), 2)"),
    ("workloads.py", "== 2 * gram[u][v])", "== 2 * gram[u][u])"),
    ("matrices.py", "- x * a[j][v]) // last", "- x * x) // last"),
    ("matrices.py", "slope * value + pivot", "pivot"),
    ("matrices.py", "(rise - value * last_slope) // last", "rise // last"),
    ("matrices.py", "            if slope:", "            if False:"),
    ("bounds.py", "if ceiling <= 0:", "if False:"),
    ("bounds.py", "trace * trace, certificate.scale * unit * unit", "trace * trace, certificate.scale * unit"),
    ("bounds.py", "square - total * diagonal", "square"),
    ("bounds.py", "value - means[u] - means[v]) + square", "value - means[u] - means[v])"),
    ("bounds.py", "2 * squares[u][v] - share", "squares[u][v] - share"),
    ("bounds.py", "2 * p * step * sums[u] + step", "p * step * sums[u] + step"),
    ("bounds.py", "lost += sum(max(0,", "lost -= sum(max(0,"),
    ("bounds.py", "if own in wanted and lanes & signs != signs:", "if False:"),
    ("bounds.py", "if 2 * free + sum(sorted(most, reverse=True)[:n]) > 0:", "if n > 2:"),
    ("bounds.py", 'if sum(certificate["diagonal"]) < 0:', "if False:"),
    ("bounds.py", "rest[u][u] -= unit * value", "rest[u][u] -= value"),
    ("bounds.py", "if multiplier < 0 or", "if"),
    ("bounds.py", "if not is_semidefinite(rest):", "if False:"),
    ("bounds.py", "rest[u][v] -= unit * multiplier * cut[u] * cut[v]", "rest[u][v] -= unit * cut[u] * cut[v]"),
    ("bounds.py", 'if len(set(certificate["prior"])) > 1:', "if False:"),
    ("bounds.py", "(k * p + (q - p) * n) ** 2:", "(k * p + (q - p) * n) ** 3:"),
    ("variances.py", "slope * common * rows.denominator * p", "slope * common * rows.denominator"),
    ("variances.py", "return trace - mean_square(workload, prior)", "return trace"),
    ("variances.py", "2 * p * (q - p) * line + (q", "p * (q - p) * line + (q"),
    ("variances.py", "- Fraction(workload.gram[u][u], workload.denominator)\n        low", "- 0\n        low"),
    ("variances.py", "across + Fraction(1, k) - 1", "across + Fraction(1, k)"),
    ("variances.py", "return total - workload.gram[0][0]", "return total"),
    ("variances.py", "(k * p if s == 0 else 0)", "0"),
    ("row_design.py", "(q - p) * weight != wanted", "False"),
    ("row_design.py", "other != item and any(", "other != item and False and any("),
    ("row_design.py", "design.is_worst or _is_uniform(design)", "True"),
    ("row_design.py", "low == exact == high", "exact <= high"),
    ("row_design.py", "near = high <= value <= low", "near = value <= low"),
    ("row_design.py", "most - off <= stated <= least + off", "stated <= least + off"),
    ("row_design.py", "if proved == exact else", "if proved >= exact else"),
    ("row_design.py", "LEAST <= value <= exact", "LEAST <= value"),
    ("row_design.py", "design.floor <= exact", "True"),
    ("row_design.py", "gap <= design.gap <= gap *", "design.gap <= gap *"),
    ("row_design.py", "len(set(bits)) < len(bits)", "False"),
    ("certificates.py", "if sum(found) % 2 == 0:", "if False:"),
    ("row_design.py", "yield epsilon_claim(design.privacy.alpha, design.epsilon)", "return"),
    ("row_design.py", "if weight <= 0), None)", "if False), None)"),
]


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """True, false and malformed documents, with the verdicts of the program as it is."""
    folder = tmp_path_factory.mktemp("designs")
    true = {case: document(*arguments) for case, arguments in CASES.items()}
    found = []
    changes = [("prefixes", change) for change in (*FALSE_CLAIMS.values(), *MALFORMED.values())]
    changes += [(case, change) for (case, _), change in OF_KINDS.items()]
    for name, arguments in LIES.items():
        true[name] = lie(*arguments)
    for name, cut in MALFORMED_CUTS.items():
        true[f"cut {name}"] = copy.deepcopy(true["cuts"])
        true[f"cut {name}"]["certificate"]["cuts"] = [cut]
    for case, change in [*((case, lambda data: None) for case in true), *changes]:
        data = copy.deepcopy(true[case])
        change(data)
        path = folder / f"{len(found)}.json"
        path.write_text(json.dumps(data))
        found.append(([path], by_program(path)))
    return found


test_a_changed_statement_is_noticed = each_noticed(MUTANTS)
