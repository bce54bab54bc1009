"""Name reports by what they consist of, as the laws of oracles do."""


def key_of(row):
    """The key of a reference client's report in a law: all its numbers and bytes, one after the other."""
    cells = [(cell,) if isinstance(cell, int) else cell for cell in row.values()]
    return tuple(number for cell in cells for number in cell)
