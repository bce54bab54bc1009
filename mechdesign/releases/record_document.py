"""Write and parse the record of a release, a JSON object; which keys it may have is ruled by FORMAT.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.documents.document import FORMAT, document_text
from mechdesign.documents.entries import require_format
from mechdesign.documents.files import read_text
from mechdesign.documents.json_text import LARGEST_NUMBER, DecimalText, json_number, parse_json
from mechdesign.documents.parsing import parse_document
from mechdesign.errors import InputError
from mechdesign.mechanism.layered import MOST_PEOPLE
from mechdesign.problem.privacy import loss_above
from mechdesign.rational import fraction_from_text, fraction_text
from mechdesign.releases.microdata import MOST_VALUES
from mechdesign.releases.record import FIRST_FORMAT, RECORD_FORMATS, THIRD_FORMAT, LawEntry, ReleaseRecord, SizeEntry
from mechdesign.releases.statement import statement

Kinds = type | tuple[type, ...]
FIRST_KEYS: dict[str, Kinds] = {
    "format": str,
    "version": str,
    "date": str,
    "column": str,
    "group": (str, type(None)),
    "unit": dict,
    "privacy": dict,
    "groups": int,
    "units": int,
    "sizes": list,
    "output": dict,
    "input": (dict, type(None)),
    "simulation": bool,
    "designs_sha256": str,
    "statement": str,
    "designs": list,
}
"""Every key of a record and what it holds; `x` may hold anything besides."""

KEYS: dict[str, Kinds] = {**FIRST_KEYS, "intervals": (dict, type(None))}
"""Those of the second format."""

THIRD_KEYS: dict[str, Kinds] = {
    **KEYS,
    "group": (str, list, type(None)),
    "values": (list, type(None)),
    "law_sizes": (dict, type(None)),
    "law": (dict, type(None)),
}
"""Those of the third."""

KEYS_BY_FORMAT = dict(zip(RECORD_FORMATS, (FIRST_KEYS, KEYS, THIRD_KEYS), strict=True))

UNIT_KEYS: dict[str, Kinds] = {"name": str, "column": (str, type(None))}
PRIVACY_KEYS: dict[str, Kinds] = {"alpha": str, "epsilon": (DecimalText, int)}
SIZE_KEYS: dict[str, Kinds] = {"n": int, "groups": int, "design": str}
LAW_SIZES_KEYS: dict[str, Kinds] = {"design": str, "groups": list}
OUTPUT_KEYS: dict[str, Kinds] = {"columns": list, "size_column": (str, type(None)), "sha256": str}
INPUT_KEYS: dict[str, Kinds] = {"hmac_sha256": str}
INTERVAL_KEYS: dict[str, Kinds] = {"confidence": str}
KIND_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number to 1e300", bool: "true or false"}
FREE = "x"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class StoredRecord:
    """Hold a record as a file has it: what it says, and the statements that follow from it, in `raw`."""

    record: ReleaseRecord
    raw: Mapping[str, Any]
    name: str


def record_document(record: ReleaseRecord) -> dict[str, Any]:
    """Make the JSON object of a record."""
    confidence = None if record.confidence is None else {"confidence": fraction_text(record.confidence)}
    return {
        "format": record.format,
        "version": record.version,
        "date": record.date,
        "column": record.column,
        "group": record.group if record.region is None else [record.region, record.group],
        "unit": {"name": record.unit, "column": record.unit_column},
        "privacy": {"alpha": fraction_text(record.alpha), "epsilon": loss_above(record.alpha)},
        "groups": record.groups,
        "units": record.units,
        "sizes": [{"n": entry.size, "groups": entry.groups, "design": entry.digest} for entry in record.sizes],
        **({"values": list(record.values) or None} if record.format == THIRD_FORMAT else {}),
        **({"law_sizes": _law_sizes_entry(record.law)} if record.format == THIRD_FORMAT else {}),
        "output": {
            "columns": list(record.columns),
            "size_column": record.size_column,
            "sha256": record.output_digest,
        },
        "input": None if record.input_hmac is None else {"hmac_sha256": record.input_hmac},
        **({} if record.format == FIRST_FORMAT else {"intervals": confidence}),
        "simulation": record.simulation,
        "designs_sha256": record.designs_digest,
        "statement": statement(record),
        "designs": [dict(entry.design) for entry in record.sizes],
        **({"law": None if record.law is None else dict(record.law.design)} if record.format == THIRD_FORMAT else {}),
    }


def _law_sizes_entry(law: LawEntry | None) -> dict[str, Any] | None:
    return None if law is None else {"design": law.digest, "groups": [list(pair) for pair in law.groups.items()]}


def record_text(record: ReleaseRecord) -> str:
    """Write the record as JSON: a line for each key, and one for each key of each design."""
    document = record_document(record)
    designs = ",\n".join(document_text(design).rstrip() for design in document.pop("designs"))
    law = ""
    if "law" in document:
        entry = document.pop("law")
        law = f',\n"law": {"null" if entry is None else document_text(entry).rstrip()}'
    return document_text(document).rstrip("\n}") + ',\n"designs": [\n' + designs + "\n]" + law + "\n}\n"


def read_stored_record(path: Path) -> StoredRecord:
    """Read the record of a release; its form is checked, its truth is not.

    Raises:
        InputError: for a file that is missing or unusable, or is no such record.
    """
    return parse_record(parse_json(read_text(path), str(path)), str(path))


def is_record_file(path: Path) -> bool:
    """Tell whether a file says that it is the record of a release, of this version or another."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    data = parse_json(read_text(path), str(path))
    return isinstance(data, dict) and str(data.get("format")).startswith(FIRST_FORMAT.partition("/")[0] + "/")


def parse_record(data: object, source: str, plain: bool = False) -> StoredRecord:
    """Parse a record from JSON values; `plain` takes matrices without a proof too, which are never published so.

    Raises:
        InputError: naming the key that is missing, unknown or malformed.
    """
    entry = require_format(data, RECORD_FORMATS, "release record", source)
    try:
        record = _parse(entry, plain)
    except InputError as error:
        raise InputError(f"{error} (in {source})") from None
    return StoredRecord(record, entry, source)


def _parse(data: Mapping[str, Any], plain: bool) -> ReleaseRecord:
    _require_keys(data, KEYS_BY_FORMAT[data["format"]], "release record", FREE)
    unit = _require_keys(data["unit"], UNIT_KEYS, "unit")
    for name, text in (("version", data["version"]), ("statement", data["statement"]), ("unit", unit["name"])):
        if not text:
            raise InputError(f"{name} must be a text that is not empty")
    privacy = _require_keys(data["privacy"], PRIVACY_KEYS, "privacy")
    output = _require_keys(data["output"], OUTPUT_KEYS, "output")
    source = data["input"] if data["input"] is None else _require_keys(data["input"], INPUT_KEYS, "input")
    alpha = fraction_from_text(privacy["alpha"], "alpha")
    if not 0 < alpha <= 1:
        raise InputError(f"alpha must be in (0, 1], got {privacy['alpha'][:40]}")
    json_number(privacy["epsilon"], "epsilon")
    columns = tuple(output["columns"])
    if not columns or not all(type(name) is str for name in columns):
        raise InputError("columns of the output must be texts, and at least one")
    confidence = _parse_confidence(data.get("intervals"))
    law = _parse_law(data.get("law_sizes"), data.get("law"))
    region, group = _parse_group(data["group"])
    sizes = _parse_sizes(data["sizes"], data["designs"], plain, law)
    if data["format"] == FIRST_FORMAT and any(entry.design.get("format", FORMAT) != FORMAT for entry in sizes):
        raise InputError(f"designs of {FIRST_FORMAT} must be {FORMAT}, got another version")
    if output["size_column"] is not None and output["size_column"] not in columns[:-1]:
        raise InputError(f"size_column must be one of the output's columns, got {output['size_column'][:40]}")
    for text in (output["sha256"], data["designs_sha256"], *([] if source is None else [source["hmac_sha256"]])):
        _require_digest(text)
    return ReleaseRecord(
        column=data["column"],
        group=group,
        unit=unit["name"],
        unit_column=unit["column"],
        alpha=alpha,
        sizes=sizes,
        columns=columns,
        size_column=output["size_column"],
        output_digest=output["sha256"],
        input_hmac=None if source is None else source["hmac_sha256"],
        simulation=data["simulation"],
        version=data["version"],
        date=_parse_date(data["date"]),
        confidence=confidence,
        format=data["format"],
        law=law,
        region=region,
        values=_parse_values(data.get("values"), group),
    )


def _parse_group(group: str | list[object] | None) -> tuple[str | None, str | None]:
    """Read the columns of regions and of groups, of which only groups, or neither, may have one."""
    if not isinstance(group, list):
        return None, group
    if len(group) == 2:
        region, name = group
        if isinstance(region, str) and isinstance(name, str) and region != name:
            return region, name
    raise InputError(f"a list of group must be of two different texts, got {str(group)[:40]}")


def _parse_values(values: list[object] | None, group: str | None) -> tuple[str, ...]:
    """Read the values of a category, which microdata alone have."""
    if values is None:
        return ()
    found = tuple(value for value in values if isinstance(value, str) and value)
    if group is None or len(found) < len(values) or not 2 <= len(set(found)) == len(found) <= MOST_VALUES:
        raise InputError(f"values must be 2 to {MOST_VALUES} different texts, of groups of microdata")
    return found


def _parse_confidence(intervals: object) -> Fraction | None:
    if intervals is None:
        return None
    text = _require_keys(intervals, INTERVAL_KEYS, "intervals")["confidence"]
    confidence = fraction_from_text(text, "confidence")
    if not 0 < confidence < 1:
        raise InputError(f"confidence must be in (0, 1), got {text[:40]}")
    return confidence


def _parse_law(sizes: Mapping[str, Any] | None, design: Mapping[str, Any] | None) -> LawEntry | None:
    """Read a law, for groups of any size that it may have, and the number of groups of each size; None for none."""
    if sizes is None or design is None:
        if sizes is not design:
            raise InputError("law_sizes and law must be both objects or both null, got one of each")
        return None
    _require_digest(_require_keys(sizes, LAW_SIZES_KEYS, "law_sizes")["design"])
    groups: dict[int, int] = {}
    for pair in sizes["groups"]:
        if not isinstance(pair, list) or [type(x) for x in pair] != [int, int]:
            raise InputError(f"groups of law_sizes must be pairs of whole numbers, got {str(pair)[:40]}")
        n, number = pair
        if not max(groups, default=0) < n <= MOST_PEOPLE or not 1 <= number <= LARGEST_NUMBER:
            raise InputError(f"sizes of law_sizes must rise to {MOST_PEOPLE} at most, with at least one group each")
        groups[n] = number
    if not groups:
        raise InputError("groups of law_sizes must be at least one pair, got none")
    entry = LawEntry(groups, design)
    if isinstance(design.get("problem", {}).get("n"), int):
        raise InputError("law must be for every n from one on, got a single n")
    _ = entry.law  # it can be read
    return entry


def _parse_sizes(sizes: list[Any], designs: list[Any], plain: bool, law: LawEntry | None) -> tuple[SizeEntry, ...]:
    if len(sizes) != len(designs) or not (sizes or law):
        raise InputError(f"sizes and designs must be as many, at least one, got {len(sizes)} and {len(designs)}")
    entries = []
    for number, (size, design) in enumerate(zip(sizes, designs, strict=True), start=1):
        _require_keys(size, SIZE_KEYS, f"size {number}")
        _require_digest(size["design"])
        if size["n"] < 1 or size["groups"] < 1:
            raise InputError(f"n and groups must be at least 1, got {size['n']} and {size['groups']} in size {number}")
        if not (plain and isinstance(design, dict) and "format" not in design):
            parse_document(design, f"design {number}")
        entries.append(SizeEntry(size["n"], size["groups"], design))
    found = [entry.size for entry in entries]
    if found != sorted(set(found)):
        raise InputError("sizes must rise")
    if law is not None and not law.groups.keys().isdisjoint(found):
        raise InputError("a size must have a design of its own or the law, got one with both")
    if not all(map(_is_of_its_size, entries)):
        raise InputError("each design must be for counts of its size")
    return tuple(entries)


def _is_of_its_size(entry: SizeEntry) -> bool:
    if entry.document is None:
        return entry.mechanism.n_inputs == entry.size + 1
    model = entry.document.problem.model
    return model.name == "count" and model.size == entry.size + 1


def _require_keys(entry: object, keys: Mapping[str, Kinds], name: str, free: str | None = None) -> Mapping[str, Any]:
    """Refuse an object with other keys than these, or with values of another kind."""
    if not isinstance(entry, dict):
        raise InputError(f"{name} must be an object, got {type(entry).__name__}")
    for key in keys:
        if key not in entry:
            raise InputError(f"{name} must have the key {key}, got none")
    for key, value in entry.items():
        if key not in keys and key != free:
            raise InputError(f"{name} must have no key {key[:40]!r}: it is unknown to its format")
        if key in keys and not _is_kind(value, keys[key]):
            raise InputError(f"{key} of {name} must be {_kinds(keys[key])}, got {str(value)[:40]!r}")
    return entry


def _is_kind(value: object, kinds: Kinds) -> bool:
    allowed = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, bool | DecimalText):  # neither a whole number, nor a text
        return type(value) in allowed
    return isinstance(value, allowed) and not (isinstance(value, int) and abs(value) > LARGEST_NUMBER)


def _kinds(kinds: Kinds) -> str:
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    return " or ".join("null" if kind is type(None) else KIND_NAMES.get(kind, "a number") for kind in several)


def _require_digest(text: str) -> None:
    if not _DIGEST.fullmatch(text):
        raise InputError(f"a digest must be 64 hexadecimal digits in lower case, got {text[:70]!r}")


def _parse_date(text: str) -> str:
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise InputError(f"date must be a day such as 2026-11-20, got {text[:40]!r}")
