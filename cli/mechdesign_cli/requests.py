"""From option texts to a design problem."""

from pathlib import Path

from mechdesign import DesignProblem, Loss, Prior
from mechdesign.files import read_csv_matrix, read_weights


def read_loss(text: str) -> Loss:
    """`Lp`, `Lp:d`, or the CSV file of that name."""
    path = Path(text)
    if path.suffix.lower() == ".csv" or path.is_file():
        return Loss.from_matrix(tuple(tuple(row) for row in read_csv_matrix(path)))
    return Loss.parse(text)


def read_prior(text: str) -> Prior:
    """`uniform`, `binomial:P`, or the file of that name."""
    path = Path(text)
    if text.partition(":")[0].lower() not in ("uniform", "binomial") and (path.suffix or path.is_file()):
        return Prior.from_weights(read_weights(path))
    return Prior.parse(text)


def read_problem(n: int, alpha: str | None, epsilon: str | None, props: str, loss: str, prior: str) -> DesignProblem:
    """The problem that the options state."""
    return DesignProblem(n, alpha, epsilon=epsilon, properties=props, loss=read_loss(loss), prior=read_prior(prior))
