"""The document of a release's record, a JSON object whose keys FORMAT.md rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign.documents.document import document_text
from mechdesign.documents.files import read_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import StoredDesign, StoredLaw
from mechdesign.errors import InputError
from mechdesign.problem.privacy import loss_above
from mechdesign.rational import fraction_text
from mechdesign.releases.record import FIRST_FORMAT, Entry, LawEntry, ReleaseRecord, SizeEntry
from mechdesign.releases.statement import statement
from mechdesign.verify.record import Record, SizeOfGroups, read_record
from mechdesign.verify.texts import UnreadableError


@dataclass(frozen=True)
class StoredRecord:
    """A record as a file has it: what it says, and the statements that follow from it, in `raw`."""

    record: ReleaseRecord
    raw: Mapping[str, Any]
    name: str
    parsed: Record  # as `verify` has read it


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
        **({"values": list(record.values) or None} if record.is_of_all_kinds else {}),
        **({"law_sizes": _law_sizes_entry(record.law)} if record.is_of_all_kinds else {}),
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
        **({"law": None if record.law is None else dict(record.law.design)} if record.is_of_all_kinds else {}),
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
    """Return whether a file says that it is the record of a release, of this version or another."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    data = parse_json(read_text(path), str(path))
    return isinstance(data, dict) and str(data.get("format")).startswith(FIRST_FORMAT.partition("/")[0] + "/")


def parse_record(data: Any, source: str, plain: bool = False) -> StoredRecord:
    """Parse a record from JSON values; `plain` takes matrices without a proof too, which are never published so.

    Raises:
        InputError: naming the key that is missing, unknown or malformed.
    """
    try:
        found = read_record(data, plain)
        record = _converted(found, data)
    except (InputError, UnreadableError) as error:
        raise InputError(f"{error} (in {source})") from None
    return StoredRecord(record, data, source, found)


def _converted(record: Record, data: Mapping[str, Any]) -> ReleaseRecord:
    """Make what `verify` has read a record of the engine's own."""
    region, group = [None, None, *record.names][-2:]
    source, law = data["input"], None
    if record.law is not None:
        entry = data["law"]
        law = LawEntry(dict(record.law.groups), entry, StoredLaw(record.law.document, entry, "the law"))
    return ReleaseRecord(
        column=record.column,
        group=group,
        unit=data["unit"]["name"],
        unit_column=data["unit"]["column"],
        alpha=record.alpha,
        sizes=tuple(map(_size_entry, record.sizes, data["designs"])),
        columns=tuple(record.columns),
        size_column=record.size_column,
        output_digest=record.output_digest,
        input_hmac=None if source is None else source["hmac_sha256"],
        simulation=data["simulation"],
        version=data["version"],
        date=data["date"],
        confidence=record.confidence,
        format=data["format"],
        law=law,
        region=region,
        values=tuple(record.values),
    )


def _size_entry(size: SizeOfGroups, design: Entry) -> SizeEntry:
    stored = None if size.design is None else StoredDesign(size.design, design, f"the design for n = {size.n}")
    entry = SizeEntry(size.n, size.groups, design, stored)
    if stored is None and entry.mechanism.n_inputs != size.n + 1:
        raise InputError(f"matrix for n = {size.n} must have {size.n + 1} columns, got {entry.mechanism.n_inputs}")
    return entry
