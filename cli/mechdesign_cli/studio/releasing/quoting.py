"""Read the options of a release as `mechdesign release` does, and say what it would spend."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError
from mechdesign.ledgers.names import USUAL_UNIT, checked_unit
from mechdesign.releases.files import require_recordable
from mechdesign.releases.inputs import CountedAs
from mechdesign.releases.intervals import interval_confidence
from mechdesign.releases.quoting import ReleaseQuote, quote_release
from mechdesign.releases.staging import Places
from mechdesign_cli.files.release_options import file_of, file_or_name, read_designs, require_form
from mechdesign_cli.files.released_data import ReleasedData
from mechdesign_cli.showing.messages import drop_remarks
from mechdesign_cli.showing.progress import heard_by, progress_after_a_second
from mechdesign_studio.workers.work import Emit

ANYWHERE = Places.of(Path("released.csv"), Path("record.json"))
"""Where nothing is written: what counts is that there is a record."""


def quote(options: Mapping[str, Any], key: bytes, emit: Emit) -> ReleaseQuote:
    """Say what a release with these options spends; its input lies in the working folder.

    Raises:
        InputError: as `mechdesign release` for the same options, and for what the input is unfit for.
    """
    counted = CountedAs(
        checked_unit(options.get("unit", USUAL_UNIT)),
        bit=options.get("bit"),
        group=options.get("group"),
        unit_column=options.get("unit-column"),
        column=options.get("column"),
        size=options.get("size"),
        category=options.get("category"),
    )
    mechanism = options.get("mechanism")
    file = Path(options["input"])
    chosen = file_or_name(mechanism)
    nothing = ReleasedData(None, None, None, None)
    require_form(nothing, file, counted, file_of(chosen), keep_true=False, record=ANYWHERE.record, key=None)
    privacy = (options.get("alpha"), options.get("epsilon"))
    of_design = (options.get("props"), options.get("loss"), options.get("prior"), None, None)
    designs = read_designs(chosen, privacy, *of_design, counted.category)
    require_recordable(designs, ANYWHERE)
    asked = options.get("intervals")
    confidence = None if asked is None else interval_confidence(asked, "intervals")

    def listen(label: str, done: int, total: int | None) -> None:
        emit("progress", {"label": label, "done": done, "total": total})

    try:
        with heard_by(listen), progress_after_a_second("counting", file.stat().st_size) as show:
            return quote_release(file, counted, designs, key, show, confidence)
    except OSError as error:
        raise InputError(f"input must be a readable file, got {file} ({error.strerror})") from None
    finally:
        drop_remarks()
