"""Say that a design has less privacy loss than was asked for: its matrix was made for another epsilon."""

from mechdesign.problem.privacy import epsilon_bounds, loss_text
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle

SEEN = 1 + 1e-6
"""Losses nearer than this are the same to people."""


def smaller_loss_text(oracle: object) -> str | None:
    """Return the remark on a design that spends less than is claimed of it; None for other oracles."""
    if not isinstance(oracle, WorkloadOracle):
        return None
    own, claimed = (epsilon_bounds(alpha)[1] for alpha in (oracle.alpha, oracle.privacy.alpha))
    if claimed <= own * SEEN:
        return None
    return (
        f"the design was made for epsilon = {loss_text(oracle.alpha)}, and reports spend that; the "
        f"{loss_text(oracle.privacy.alpha)} asked for would allow a design with less noise"
    )
