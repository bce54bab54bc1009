"""Listed oracles on all items, each by a name that works as input again."""

from collections.abc import Iterator

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.memory_needs import usual_oracles


def listed_oracles(
    k: int, privacy: Privacy, size: str, installed: bool = False
) -> Iterator[tuple[str, FrequencyOracle]]:
    """Name and make every oracle on all items, subset selection at the size that is best for what is listed.

    Args:
        k: number of items.
        privacy: what each report may lose.
        size: `rare` where variances of a rare item are listed, `mean` where it is their mean over all items, or that
            of answers to a workload at equal shares.
        installed: whether to list those that other packages offer too.

    >>> [name for name, _ in listed_oracles(4, Privacy(epsilon="1/2"), "rare") if name.startswith("ss")]
    ['ss:size=1']
    """
    for oracle in usual_oracles(k, privacy, installed):
        best = SubsetSelection(k, privacy, size) if isinstance(oracle, SubsetSelection) else oracle
        yield best.title, best
