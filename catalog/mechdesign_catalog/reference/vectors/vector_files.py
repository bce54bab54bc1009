"""Files of test vectors, one for each oracle."""

from itertools import groupby

from mechdesign_catalog.reference.vectors.flat_cases import flat_cases
from mechdesign_catalog.reference.vectors.system_cases import system_cases
from mechdesign_catalog.reference.vectors.vectors import VectorCase, vectors_text


def vector_files() -> dict[str, str]:
    """Make the test vectors of every oracle: text by the name of its file, the same on every machine."""
    return {file_name(name): vectors_text(name, cases) for name, cases in groupby(all_cases(), oracle_name)}


def all_cases() -> list[VectorCase]:
    """List all tasks that vectors are made for, those of one oracle one after the other."""
    return sorted([*flat_cases(), *system_cases()], key=oracle_name)


def oracle_name(case: VectorCase) -> str:
    """Return the name of a case's oracle."""
    return case.task.oracle


def file_name(oracle: str) -> str:
    """Return the name of the file with an oracle's vectors.

    >>> file_name("inprr:sue")
    'inprr-sue.json'
    """
    return f"{oracle.replace(':', '-')}.json"
