"""Designs of any format, read and proved or refuted."""

from collections.abc import Iterator
from typing import Any

from . import document, formulas, laws, level_design, noise_table, proving, row_design
from .document import Document
from .formulas import FormulaDocument
from .laws import LawDocument
from .level_design import LevelDesignDocument
from .noise_table import NoiseTableDocument
from .proving import Claim
from .row_design import RowDesign
from .texts import UnreadableError, shown

AnyDocument = Document | LawDocument | RowDesign | LevelDesignDocument | NoiseTableDocument | FormulaDocument
FORMATS = (
    *document.FORMATS,
    *laws.FORMATS,
    *(row_design.FORMAT, row_design.FORMAT_BY_EPSILON),
    level_design.FORMAT,
    noise_table.FORMAT,
    formulas.FORMAT,
)


def read_design(data: Any) -> AnyDocument:
    """Read a design, a law, a formula or a design for a workload from JSON values, by their key `format`.

    Raises:
        UnreadableError: saying what is none of them.
    """
    form = data.get("format") if isinstance(data, dict) else None
    if form not in FORMATS:
        got = (
            shown(data) if not isinstance(data, dict) else "no format" if form is None else f"the format {shown(form)}"
        )
        raise UnreadableError(f"file must be a design document of the formats in FORMAT.md, got {got}")
    if form in laws.FORMATS:
        return laws.read_law(data)
    if form == level_design.FORMAT:
        return level_design.read_level_design(data)
    if form == noise_table.FORMAT:
        return noise_table.read_noise_table(data)
    if form == formulas.FORMAT:
        return formulas.read_formula(data)
    return document.read_document(data) if form in document.FORMATS else row_design.read_row_design(data)


def design_claims(document: AnyDocument) -> Iterator[Claim]:
    """Yield every claim of what was read, with a verdict."""
    if isinstance(document, LawDocument):
        return laws.law_claims(document)
    if isinstance(document, LevelDesignDocument):
        return level_design.level_claims(document)
    if isinstance(document, NoiseTableDocument):
        return noise_table.noise_claims(document)
    if isinstance(document, FormulaDocument):
        return formulas.formula_claims(document)
    return proving.document_claims(document) if isinstance(document, Document) else row_design.row_claims(document)
