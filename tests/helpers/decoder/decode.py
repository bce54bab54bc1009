"""Decode a file of test vectors by the published rules alone: nothing of the project is imported here.

Each report is made again of its value and its random bytes, and must be the message byte by byte. All messages are then
read as a server reads them; sums and estimates must be those of the file, exactly.
"""

import hashlib
import json
from fractions import Fraction

from attribute_decoder import ATTRIBUTES
from decoder_basics import Message, Random
from flat_decoder import FLAT
from level_decoder import LEVELS

ORACLES = {**FLAT, **LEVELS, **ATTRIBUTES}


def decode(text):
    """Go through all cases of a file, and return how many reports it has."""
    document = json.loads(text)
    assert document["format"] == "mechdesign-vectors/1"
    return sum(decode_case(case) for case in document["cases"])


def decode_case(case):
    task = case["task"]
    assert task["format"] == "mechdesign-task/1"
    parameters, constants = task["parameters"], task["constants"]
    assert task_digest(task) == task["sha256"], "the task's digest"
    name = parameters["oracle"]
    client, server, estimate = ORACLES[name]
    shape = parameters["k"] if name in FLAT else parameters
    sums = None
    for report in case["reports"]:
        random = Random(report["random"])
        made = client(constants, shape, report["value"], random)
        assert made.hex() == report["message"], f"the message of {report}"
        assert not random.left, f"random bytes left over in {report}"
        message = Message(made)
        if case["sums"] is None:
            continue
        added = server(constants, shape, message)
        assert not message.data, f"bytes left over in the message of {report}"
        sums = added if sums is None else [a + b for a, b in zip(sums, added, strict=True)]
    for refused in case["refused"]:
        assert is_refused(refused, lambda message: server(constants, shape, message)), f"{refused} was not refused"
    assert sums == case["sums"], "the sums"
    if case["estimates"] is not None:
        found = estimate(constants, shape, sums, len(case["reports"]))
        assert found == rationals(case["estimates"]), "the estimates"
    return len(case["reports"])


def is_refused(digits, server):
    """Whether a server finds fault with a message."""
    message = Message(bytes.fromhex(digits))
    try:
        server(message)
    except AssertionError:
        return True
    return len(message.data) > 0


def rationals(texts):
    """Rationals of texts, in the lists that they are in."""
    return [rationals(one) for one in texts] if isinstance(texts, list) else Fraction(texts)


def task_digest(task):
    """SHA-256 of the task without items and constants, as JSON with sorted keys and no blanks."""
    domain = {name: task["domain"][name] for name in ("sha256", "ordered", "columns")}
    lines = lines_of(task["domain"])
    if lines:
        text = "".join(f"{line}\n" for line in lines)
        assert hashlib.sha256(text.encode()).hexdigest() == domain["sha256"], "the domain's digest"
    body = {"format": task["format"], "parameters": task["parameters"], "domain": domain}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def lines_of(domain):
    """What a domain's digest is made of: items, bins, or attributes with their numbers of items."""
    found = [*(domain["items"] or []), *(f"bins {text}" for text in domain["bins"])]
    for attribute in domain["attributes"] or []:
        found += [attribute["name"], len(attribute["items"]), *attribute["items"]]
    return found
