"""Linear systems in rationals, solved by elimination."""


def solve(matrix, right):
    """Solve a square system."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = next(i for i in range(at, size) if rows[i][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for i in range(size):
            if i != at and rows[i][at]:
                rows[i] = [a - rows[i][at] * b for a, b in zip(rows[i], rows[at], strict=True)]
    return [row[size] for row in rows]
