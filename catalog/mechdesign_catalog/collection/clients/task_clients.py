"""The task of a collection, and the client that makes its reports."""

from collections.abc import Sequence

from mechdesign.arguments import checked
from mechdesign.errors import InputError, argument, shorten
from mechdesign.problem.privacy import Privacy, privacy_if_given
from mechdesign.rational import Number
from mechdesign_catalog.collection.clients.client import Client
from mechdesign_catalog.collection.clients.encoders import encoder_of, number_encoder
from mechdesign_catalog.collection.clients.input_specification import (
    AnyWorkloadDesign,
    InputSpecification,
    require_columns,
)
from mechdesign_catalog.collection.tasks.domains import attributes_of, domain_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes, AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.systems.mean import MEAN_ORACLES, mean_oracle_of
from mechdesign_catalog.systems.memory_needs import require_fit
from mechdesign_catalog.systems.registry import oracle_of
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, is_marginal_oracle, marginal_oracle_of


@checked
def make_task(
    oracle: str | AnyWorkloadDesign,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    k: int | None = None,
    domain: DomainLike | AttributesLike | None = None,
    bins: str | Sequence[str] | None = None,
    ordered: bool = False,
    columns: Sequence[str] | None = None,
    maximum: Number | None = None,
) -> Task:
    """Make the task of a collection: the oracle that users report with, and what they report about.

    Arguments are those of `privatize`, but that `columns` are attributes of the domain and nothing else. In place of
    a domain or bins `k` stands for the numbers 0..k-1.

    Raises:
        InputError: for what does not go together, and as `privatize`.

    >>> make_task("hrr", epsilon=1, k=1000).parameters
    {'oracle': 'hrr', 'k': 1000, 'privacy': 'epsilon=1', 't': 1}
    """
    several = isinstance(oracle, str) and is_marginal_oracle(oracle)
    if columns is not None and not several:
        raise InputError(f"columns go with a task about several attributes, got them with {shorten(oracle)}")
    if k is not None:
        if several or domain is not None or bins is not None:
            others = f"oracle {shorten(oracle)}" if several else "a domain or bins"
            raise InputError(f"k must be given alone, for items 0..k-1, got it with {others}")
        if k < 2:
            raise InputError(f"k must be at least 2, got k={k}")
        bins = f"0:{k}:1"
    if bins is not None and not isinstance(bins, str):
        columns = [str(place) for place in range(len(bins))]  # a task says nothing of where values are
    asked = InputSpecification(domain, bins, None, ordered, columns, maximum)
    client, _ = asked.client(oracle, privacy_if_given(alpha, epsilon), None)
    return client.task


def client_for(
    specification: InputSpecification,
    oracle: str | AnyWorkloadDesign | None,
    privacy: Privacy | None,
    task: Task | None,
    seed: int | None,
) -> tuple[Client, Sequence[str] | None]:
    """Make the client of an oracle or of a task, and return the names of the columns that its values are in.

    Raises:
        InputError: for both or neither, for what a task says itself, and as `InputSpecification.client` and
            `task_client`.
    """
    if task is None:
        if oracle is None:
            raise InputError(f"exactly one of {argument('oracle')} and {argument('task')} must be given, got neither")
        return specification.client(oracle, privacy, seed)
    stated = {
        "oracle": oracle,
        "alpha or epsilon": privacy,
        "bins": specification.bins,
        "maximum": specification.maximum,
    }
    for name, value in {**stated, "ordered": specification.ordered or None}.items():
        if value is not None:
            raise InputError(
                f"{name} must not be given with a task, which states it already, got it with {task.oracle}"
            )
    client = task_client(task, specification.domain, specification.beyond, seed)
    if not isinstance(client.encoder.domain, Attributes):
        require_columns(specification.columns, max(1, len(task.bins)))
        return client, specification.columns
    if specification.columns is not None and tuple(specification.columns) != task.columns:
        raise InputError(f"columns must be those of the task, {', '.join(task.columns)}, in this order, got others")
    return client, task.columns


def task_client(
    task: Task,
    domain: DomainLike | AttributesLike | None = None,
    beyond: str | None = None,
    seed: int | None = None,
) -> Client:
    """Make the client of a task; `domain` are its items or attributes where they are too many to travel along.

    Raises:
        InputError: for a domain that is not the task's, or none where one is needed; and for `beyond` without bins.
    """
    if beyond is not None and not task.bins:
        raise InputError(f"beyond goes with bins, got it with a task of {task.oracle} without them")
    if task.oracle in MEAN_ORACLES:
        if domain is not None:
            raise InputError(f"domain goes with items, got it with {task.oracle}")
        return Client(mean := mean_oracle_of(task.parameters), number_encoder(mean), seed)
    if task.oracle in MARGINAL_ORACLES:
        return Client(marginal_oracle_of(task.parameters), encoder_of(attributes_of(task, domain)), seed)
    oracle = oracle_of(task.parameters)
    require_fit(oracle)
    return Client(oracle, encoder_of(domain_of(task, domain), task.ordered, beyond), seed)
