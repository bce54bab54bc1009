"""Valid reports: those that a client can have made."""

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import AnyColumn, Parameters, Reports, require_same

Rows = NDArray[np.bool_]


def invalid_rows(report_schema: ReportSchema, reports: Reports, parameters: Parameters) -> Rows:
    """Tell for each report whether the oracle of these parameters, with this wire, cannot have made it; shape (users,).

    Raises:
        InputError: for reports of other parameters, or whose columns are others, or of another kind: then it is not a
            matter of single reports.
    """
    require_same(parameters, reports.parameters, "reports")
    if set(reports.columns) != set(report_schema.names):
        raise InputError(
            f"reports of {parameters['oracle']} must have the columns {', '.join(report_schema.names)}, "
            f"got {', '.join(reports.columns)}"
        )
    found = np.zeros(len(reports), dtype=np.bool_)
    for column in report_schema.columns:
        values = reports.columns[column.name]
        if isinstance(column, ByteStrings):
            found |= _wrong_strings(column, column.typed(values), reports.columns[column.chosen_by], report_schema)
        else:
            found |= column.outside(_right_kind(column.shape, values, column.name))
    return found


def without_invalid(report_schema: ReportSchema, reports: Reports, parameters: Parameters) -> tuple[Reports, int]:
    """Return the reports that the oracle can have made, and how many others there were; errors as `invalid_rows`."""
    wrong = invalid_rows(report_schema, reports, parameters)
    dropped = int(wrong.sum())
    if not dropped:
        return reports, 0
    columns = {name: _kept(column, ~wrong) for name, column in reports.columns.items()}
    return Reports(reports.parameters, columns), dropped


def _right_kind(shape: tuple[int, ...], values: AnyColumn, name: str) -> NDArray[np.integer]:
    if isinstance(values, Ragged) or values.dtype.kind not in "iub" or values.shape[1:] != shape:
        kind = "byte strings" if isinstance(values, Ragged) else f"{values.dtype} of shape {values.shape}"
        raise InputError(f"reports must have a column {name} of whole numbers, {shape} each, got {kind}")
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def _wrong_strings(column: ByteStrings, strings: Ragged, chosen: AnyColumn, report_schema: ReportSchema) -> Rows:
    """Tell for each byte string whether the oracle that its report chose cannot have made it."""
    chooser = next(one for one in report_schema.columns if one.name == column.chosen_by)
    if not isinstance(chooser, Numbers):
        raise InputError(f"wires must choose byte strings by a number, got {column.chosen_by}")
    numbers = _right_kind(chooser.shape, chosen, chooser.name)
    found = np.zeros(len(strings), dtype=np.bool_)
    for number, inner in enumerate(column.wires, start=chooser.first):
        rows = np.flatnonzero(numbers == number)
        right = strings.widths[rows] == inner.width
        found[rows[~right]] = True
        rows = rows[right]
        reports = inner.unpack(strings.rows(rows, inner.width), {})
        found[rows] = invalid_rows(inner, reports, {})
    return found


def _kept(column: AnyColumn, rows: Rows) -> AnyColumn:
    if not isinstance(column, Ragged):
        return column[rows]
    widths = column.widths
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths[rows])])
    return Ragged(offsets, column.data[np.repeat(rows, widths)])
