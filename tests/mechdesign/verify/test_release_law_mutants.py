"""A checker of releases by a law with one statement changed judges some record or output otherwise."""

import csv
import hashlib
import json
from pathlib import Path

import pytest
from mutants import is_noticed, mutant
from record_cases import LAW_CASES

from mechdesign.documents.document import design_document
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document
from mechdesign.releases.files import release_file
from mechdesign.verify import __main__ as program
from mechdesign.verify.record import canonical
from mechdesign.verify.texts import read_json

MUTANTS = [
    ("record.py", "served = ends[0] >= document.n", "served = True"),
    ("record.py", 'Claim("the law keeps the record\'s alpha", own >= alpha', 'Claim("", True'),
    ("record.py", "law.stated == law.digest", "True"),
    ("record.py", 'Claim(f"the law: {claim.claim}", False, claim.detail)', 'Claim("", True)'),
    (
        "record.py",
        "one[0] >= other[0] for one, other in pairwise(groups)",
        "one[0] > other[0] for one, other in pairwise(groups)",
    ),
    ("record.py", "if law and {size.n for size in sizes} & {n for n, _ in law.groups}:", "if False:"),
    ("record.py", "if not document.onward:", "if False:"),
    ("record.py", "([record.law.digest] if record.law else [])", "[]"),
    ("record.py", "found | dict(self.law.groups if self.law else [])", "found"),
    ("record.py", "problems.add((law.privacy,", "problems.add((None,"),
    ("output.py", "if near >= self.layer.depth:", "if near > self.layer.depth:"),
    ("output.py", "if near >= self.layer.depth:", "if True:"),
    ("output.py", "if near == released else (n - high, n - low)", ""),
    (
        "output.py",
        "_steps(1 / (1 + layer.alpha), layer.alpha, self.tail)",
        "_steps(Fraction(1), layer.alpha, self.tail)",
    ),
    ("output.py", "min(n, released + self.far)", "released + self.far"),
    ("output.py", "last = [layer.depth, layer.depth - 1 + more] if more > 0 else []", "last = []"),
    ("output.py", "more = _steps(Fraction(below[-1], whole)", "more = 1 + _steps(Fraction(below[-1], whole)"),
    ("output.py", "if min(pair) > self.tail * whole", "if pair[1] > self.tail * whole"),
    ("output.py", "whole *= n + 1", "pass"),
    ("output.py", "value * alpha**exponent <= least", "value * alpha**exponent < least"),
]
"""File, statement, and what stands there instead."""


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Tampered records, and records with outputs whose intervals are right, with the verdicts of the program."""
    folder = tmp_path_factory.mktemp("cases")
    (folder / "c.csv").write_text("town,sick,people\nA,1,2\nB,7,300\nC,2,5000\nD,9,300\n")
    asked = {"column": "sick", "size": "people"}
    release_file(folder / "c.csv", folder / "r.csv", record=folder / "r.json", epsilon=1, **asked)
    found = [[str(folder / "r.json"), str(folder / "r.csv")]]
    for number, (change, _) in enumerate(LAW_CASES):
        data = json.loads((folder / "r.json").read_text())
        change(data)
        path = folder / f"{number}.json"
        path.write_text(json.dumps(data))
        found.append([str(path)])
    rows = [(n, count) for n in (400, 401, 410) for count in (0, 1, 3, 5, 9, 200, n - 5, n - 2, n)]
    with (folder / "d.csv").open("w") as stream:
        csv.writer(stream).writerows([("sick", "people"), *((count, n) for n, count in rows * 3)])
    # 1/3 and 1/2 of what the confidence leaves are tails that an output meets exactly
    for number, (alpha, design) in enumerate(
        [
            ("4/5", {"loss": "L0"}),
            ("4/5", {"loss": "L0", "intervals": "1/3"}),
            ("1/2", {"loss": "L0", "intervals": "1/3"}),
            ("7/10", {"properties": "WH"}),
        ]
    ):
        places = [str(folder / f"d{number}.json"), str(folder / f"d{number}.csv")]
        options = {"intervals": "0.9", **design, "seed": 5}
        release_file(folder / "d.csv", places[1], record=places[0], alpha=alpha, **asked, **options)
        found.append(places)
    for number, (source, change) in enumerate(CONSISTENT):
        data = json.loads((folder / source).read_text())
        change(data)
        found.append([_with_sums(folder / f"e{number}.json", data)])
    return [(case, program.main(case)) for case in found]


def _nearer_to_one(data):
    data["privacy"] = {"alpha": "9/10", "epsilon": 0.10536051566}


def _of_one_size(data):
    law = read_document(parse_json(json.dumps(data["law"]), "the law"), "the law").law
    data["law"] = design_document(law, 400)


CONSISTENT = [
    ("r.json", lambda data: data["law_sizes"]["groups"].insert(0, [1, 1])),
    ("r.json", lambda data: data["law"].update(status="exact")),
    ("d0.json", _nearer_to_one),
    ("d0.json", _of_one_size),
]
"""False in one thing: sums and digests are made to fit again."""


def _with_sums(path, data):
    """Write a record with the sums and digests that follow from it."""
    path.write_text(json.dumps(data))
    known = read_json(path)
    digests = [hashlib.sha256(canonical(one).encode()).hexdigest() for one in (*known["designs"], known["law"])]
    data["law_sizes"]["design"] = digests[-1]
    data["designs_sha256"] = hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
    groups = [*((one["n"], one["groups"]) for one in data["sizes"]), *map(tuple, data["law_sizes"]["groups"])]
    data["groups"] = sum(number for _, number in groups)
    data["units"] = sum(n * number for n, number in groups)
    path.write_text(json.dumps(data))
    return str(path)


def test_the_outputs_are_proved_and_what_is_false_in_one_thing_is_not(cases):
    verdicts = {Path(paths[0]).name: verdict for paths, verdict in cases}
    assert [verdicts[f"{name}.json"] for name in ("r", "d0", "d1", "d2", "d3")] == [0] * 5
    assert [verdicts[f"e{number}.json"] for number in range(len(CONSISTENT))] == [1, 1, 1, 2]


@pytest.mark.parametrize(("name", "statement", "instead"), MUTANTS)
def test_each_statement_counts(name, statement, instead, cases, tmp_path, monkeypatch):
    with mutant(name, statement, instead, tmp_path, monkeypatch) as changed:
        assert is_noticed(changed, cases)
