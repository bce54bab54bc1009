"""Headers of files: nothing but the keys that are specified, in texts that are escaped as REPORTS.md says."""

import copy
import hashlib
import json
from pathlib import Path

import pytest
from tampered_reports import aggregated, set_at

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task

HEADER = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"]).header
SEEDED = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"], seed=1).header

ODD = {
    "another key": (HEADER, {"more": 1}, "keys must be those of a header"),
    "no identity": (HEADER, {"identity": ""}, "identity must be empty with a seed"),
    "identity and seed": (SEEDED, {"identity": "ab" * 16}, "identity must be empty with a seed"),
}


def changed(header, values):
    """The header's text with other values and the digest that fits them."""
    body = {**json.loads(header.to_json()), **values}
    del body["sha256"]
    return json.dumps({**body, "sha256": hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()})


@pytest.mark.parametrize("label", ODD)
def test_what_the_format_forbids_is_refused(label):
    header, values, message = ODD[label]
    assert Header.from_json(changed(header, {}), header.task, "a.parquet") == header
    with pytest.raises(InputError, match=rf"{message}.* in the header of a\.parquet"):
        Header.from_json(changed(header, values), header.task, "a.parquet")


@pytest.mark.parametrize("place", ["task.constants", "task.domain.more"])
def test_another_key_of_the_task_is_refused(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    batch = privatize(["no"] * 5, "grr", epsilon=1, domain=["no", "yes"])
    batch.save("good.parquet")
    good = {**json.loads(batch.header.to_json()), "task": batch.header.task.body()}
    assert aggregated(copy.deepcopy(good), lambda body: None) is None
    assert "task must have the keys parameters and domain" in aggregated(good, set_at(place, {}))
    assert Path("good.parquet").exists()


def escaped(text):
    """A text as REPORTS.md has it in digests, by hand."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    units = text.encode("utf-16-be")
    found = (chr(256 * high + low) for high, low in zip(units[::2], units[1::2], strict=True))
    return '"' + "".join(short.get(c) or (c if " " <= c <= "~" else f"\\u{ord(c):04x}") for c in found) + '"'


def test_texts_in_digests_are_in_ascii():
    name = 'a/~\x7f\x80\t\x01"\\é\U0001f600z'
    body = (
        f'{{"domain":{{"columns":[{escaped(name)}],"ordered":false,"sha256":""}},'
        '"format":"mechdesign-task/1","parameters":{"oracle":"smp"}}'
    )
    assert Task({"oracle": "smp"}, columns=(name,)).digest == hashlib.sha256(body.encode("ascii")).hexdigest()
