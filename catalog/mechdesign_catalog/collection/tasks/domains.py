"""Domains of tasks: items or attributes that travel along, or are given beside."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes, AttributesLike, as_attributes
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.datasets.items.domain import DomainLike, as_domain


def domain_of(task: Task, domain: DomainLike | AttributesLike | None = None) -> ItemDomain:
    """Return the domain: bins or items from the reports, or the list of items that they were made with.

    Raises:
        InputError: for items that are too many to be in the files and not given, another domain, or one that has not as
            many items as the oracle.
    """
    found = task.domain
    if domain is not None:
        if isinstance(domain, Attributes | Mapping):
            raise InputError("domain must be a list of items, got attributes")
        found = as_domain(domain)
        if found.digest != task.domain_digest:
            where = f" in {domain}" if isinstance(domain, str | Path) else ""
            raise InputError(f"domain must be the one that the reports were made with, got another{where}")
    if found is None or isinstance(found, Attributes):
        raise InputError("domain must be given, as it is too large to be stored in the files, got none")
    if found.k != task.parameters.get("k"):
        raise InputError(f"the domain must have the oracle's {task.parameters.get('k')} items, got {found.k}")
    return found


def attributes_of(task: Task, domain: object = None) -> Attributes:
    """Return the attributes from the reports, or those of their names in what is given, if they have the same items.

    Raises:
        InputError: for attributes that are too many to be in the files and not given, or others.
    """
    if domain is None:
        if not isinstance(task.domain, Attributes):
            raise InputError(
                "domain must be given, as its attributes are too large to be stored in the files, got none"
            )
        found = task.domain
    else:
        found = selected_attributes(domain, task.columns, task.oracle)
        if found.digest != task.domain_digest:
            where = f" in {domain}" if isinstance(domain, str | Path) else ""
            raise InputError(f"domain must have the attributes that the reports were made with, got others{where}")
    if ",".join(map(str, found.sizes)) != task.parameters.get("domains"):
        raise InputError(f"attributes must have the oracle's {task.parameters.get('domains')} items, got others")
    return found


def selected_attributes(domain: object, columns: Sequence[str] | None, oracle: str) -> Attributes:
    """Return the attributes that an oracle of several is asked for: those of these columns, in their order, or all.

    Raises:
        InputError: for no attributes, another kind of domain, a column that is not among them or stands twice.
    """
    if domain is None:
        raise InputError(
            f"domain must be given for {oracle}, got none: a public CSV file with columns column,item, or the items of "
            "each column by name"
        )
    if not isinstance(domain, Attributes | Mapping | str | Path):
        raise InputError(f"domain must have the items of each attribute for {oracle}, got a list of items")
    found = as_attributes(domain)
    if columns is None:
        return found
    for name in columns:
        if name not in found.names:
            where = f" of {domain}" if isinstance(domain, str | Path) else ""
            raise InputError(f"columns must be attributes{where} ({found.listed}), got {name or 'an empty name'}")
    return found.taken(columns)
