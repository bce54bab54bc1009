"""The command `mechdesign derive`: a mechanism as GM with randomised post-processing.

GM is the truncated geometric mechanism.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.audits import derivation
from mechdesign.audits.derivation import Derivation
from mechdesign.audits.within import Box
from mechdesign.documents.document import document_text
from mechdesign.documents.files import Content, Rows, csv_text, npz_bytes
from mechdesign.documents.storage import MECHANISM_SUFFIXES, StoredMatrix, read_stored, require_matrix
from mechdesign.documents.stored import StoredDesign, StoredLaw
from mechdesign.errors import InputError, quote
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import number_text, total
from mechdesign_cli.endings import DONE, NO
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.record import REQUIRED, Command, argument
from mechdesign_cli.showing.derivations import (
    ROUNDING,
    law_remap_document,
    remap_document,
    report_law_remap,
    report_remap,
)
from mechdesign_cli.showing.messages import print_result, remark, say
from mechdesign_cli.showing.pictures import picture


class Derive(Command):
    """The answer is the remap T with P = T GM, where GM is the truncated geometric mechanism.

    The alpha of GM is that of the document, or else the given one, or else the tightest one of the matrix. T[i,k] is
    the probability of final output i where GM has output k. The exit code is 1 if there is no such T.

    For a law, one mechanism for groups of every size, the answer is that of every n, or with --n that of one.

    Example: mechdesign derive design.json --output remap.json --plot remap.png
    """

    file: Path = argument("A mechanism for counts: .json, .csv, .npz or .npy, or a law.", default=REQUIRED)
    n: options.SizeOfLaw = None
    row_stochastic: options.RowStochastic = False
    output: options.MatrixOutputs = None
    plot: options.Plot = None
    json: options.Json = False
    privacy: options.PrivacyOptions

    def run(self) -> int:
        """Look for the remap, write the files and print; 0 where there is one."""
        stated = self.privacy.read_if_given()
        require_targets(self.output or (), self.plot, [self.file], MECHANISM_SUFFIXES)
        read = read_stored(self.file)
        if isinstance(read, StoredLaw):
            if self.row_stochastic:
                raise InputError("--row-stochastic goes with plain matrices, got it with a law")
            law, source = read.proved(), "document"
            _say_which(stated, law.problem.privacy.alpha)
            if self.n is None and read.n is None:
                return self._of_law(law)
            mechanism = law.at(read.size(self.n))
            found = derivation.derive(mechanism, law.problem.privacy.alpha)
        else:
            refuse_options({"n": self.n}, "a law", "a matrix")
            mechanism, found, source = self._of_matrix(require_matrix(read, self.file), stated)
            _say_which(stated, found.alpha)
        result = remap_document(found, mechanism, source)
        self._write({} if found.remap is None else {p: _content(found, found.remap, result, p) for p in self._targets})
        if found.remap is not None:
            for note in exactness_notes(self._targets, "a .json or .npz"):
                say(note)
        show = partial(report_remap, self.file)
        print_result(self.json, remap_document, show, found, mechanism, source, write=document_text)
        return DONE if found.derivable else NO

    @property
    def _targets(self) -> list[Path]:
        return list(dict.fromkeys([*(self.output or ()), *([] if self.plot is None else [self.plot])]))

    def _write(self, contents: Mapping[Path, Content]) -> None:
        """Write the files, all or none; say of those that have no content that there is no remap."""
        for path in self._targets:
            if path not in contents:
                say(f"there is no remap: {path} was not written")
        write_and_say(contents)

    def _of_matrix(self, stored: StoredMatrix, stated: Privacy | None) -> tuple[Mechanism, Derivation, str]:
        """Return a matrix, the answer, and where GM's alpha comes from."""
        if self.row_stochastic:
            stored = stored.transposed()
        if stored.document is not None:
            _require_count(stored.document, self.file)
        base, source = _gm_alpha(stored.document, None if stated is None else stated.alpha)
        return *_answer(stored, base, self.file), source

    def _of_law(self, law: Law) -> int:
        """Answer for every n."""
        for path in self._targets:
            if path.suffix.lower() != ".json":
                raise InputError(f"--output of a law for every n must end in .json, got {path}; state --n for others")
        found = derivation.derive_law(law)
        document = document_text(law_remap_document(found))
        self._write(dict.fromkeys(self._targets, document.encode()) if found.derivable else {})
        show = partial(report_law_remap, self.file)
        print_result(self.json, law_remap_document, show, found, write=document_text)
        return DONE if found.derivable else NO


def _say_which(stated: Privacy | None, used: Fraction) -> None:
    """Say that the alpha of a document is used where another one was given."""
    if stated is not None and stated.alpha != used:
        remark(f"alpha = {number_text(used)} of the document is used; --alpha and --epsilon are for plain matrices")


def _require_count(document: StoredDesign, file: Path) -> None:
    """GM is a mechanism for counts; what other models hold is refused."""
    model = document.raw["problem"]["model"]
    if model != "count":
        raise InputError(f"model must be count to be derived from GM, got {quote(model)} in {file}")


def _gm_alpha(document: StoredDesign | None, stated: Fraction | None) -> tuple[Fraction | None, str]:
    """GM's alpha (None for the tightest) and where it comes from."""
    if document is None:
        return stated, "tightest" if stated is None else "option"
    return document.problem.alpha, "document"


def _answer(stored: StoredMatrix, alpha: Fraction | None, file: Path) -> tuple[Mechanism, Derivation]:
    try:
        mechanism = stored.document.mechanism() if stored.document else Mechanism.from_fractions(stored.rows)
        return mechanism, derivation.derive(mechanism, alpha)
    except InputError as error:
        raise InputError(f"{error} in {file}; {_way_out(stored, file)}") from None


def _way_out(stored: StoredMatrix, file: Path) -> str:
    """What to do about a file that holds no mechanism, or one of infinite epsilon."""
    height, width = len(stored.rows), len(stored.rows[0])
    if stored.document is not None:
        return f"mechdesign check {file} lists what is wrong with it"
    if width < 2:
        return "write one column for each count 0..n"
    columns = [list(column) for column in zip(*stored.rows, strict=True)]
    near = None if stored.halves is None else Box(stored.rows, stored.halves)
    by_rounding = near is not None and near.has_probabilities_in_rows and not near.has_probabilities
    if by_rounding or (_sum_to_one(stored.rows) and not _sum_to_one(columns)):
        return "its rows do: add --row-stochastic (or leave it out, where it was given)"
    mend = f"mend it with mechdesign check {file} --alpha A --repair OUT.json"
    if all(total(column) == 1 for column in columns):  # what is wrong is its epsilon, or a sign
        return mend if height == width else "GM gives it at no alpha"
    fractions = "write its entries as exact fractions such as 1/3"
    return f"use the .json design that it came from, {fractions}, or {mend}" if height == width else fractions


def _sum_to_one(rows: Rows) -> bool:
    return all(abs(total(row) - 1) <= ROUNDING for row in rows)


def _content(derivation: Derivation, remap: Mechanism, result: dict[str, Any], path: Path) -> bytes:
    """What a file of this suffix holds: the answer (.json), the plain matrix (.csv), both (.npz), or a picture."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return document_text(result).encode()
    if suffix == ".csv":
        return csv_text(remap.matrix()).encode()
    if suffix == ".npz":
        return npz_bytes(remap.matrix(), document_text(result))
    return picture("heatmap.plot_remap", derivation, suffix)
