"""Keys of reports: what they consist of, as in the laws of oracles."""


def key_of(row):
    """The key of a reference client's report in a law: all its numbers and bytes, one after the other."""
    cells = [(cell,) if isinstance(cell, int) else cell for cell in row.values()]
    return tuple(number for cell in cells for number in cell)
