"""The client by an oracle's name, and the columns of the users' values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from mechdesign.documents.storage import read_stored
from mechdesign.documents.stored import StoredLevelDesign, StoredWorkloadDesign
from mechdesign.errors import InputError, shorten
from mechdesign.level_designs import LevelDesign
from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy, require_privacy
from mechdesign.rational import Number
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.collection.clients.client import Client, make_client, make_item_client
from mechdesign_catalog.collection.clients.encoders import Encoder, encoder_for, encoder_of, tuple_encoder
from mechdesign_catalog.collection.tasks.domains import selected_attributes
from mechdesign_catalog.datasets.attributes import Attributes, AttributesLike
from mechdesign_catalog.datasets.items.bins import Grid, ItemDomain
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.mechanisms.candidates import DESIGN
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.designs.workload_design_file import oracle_of_design
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import ORACLES, PLANES, is_mechanism_file, parse_oracle, without_flat
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, is_marginal_oracle, parse_marginal_oracle

AnyWorkloadDesign = WorkloadDesign | LevelDesign


@dataclass(frozen=True)
class InputSpecification:
    """The input of a client beside the oracle: possible values, and their columns.

    Args:
        domain: items, or attributes with items for an oracle of several.
        bins: instead of a domain, of numbers or dates.
        beyond: what becomes of values beyond the bins.
        ordered: items of the domain are in their order.
        columns: names of the columns of values; None for the only one, or for all attributes.
        maximum: of numbers, for an oracle of means.
    """

    domain: DomainLike | AttributesLike | None = None
    bins: str | Sequence[str] | None = None
    beyond: str | None = None
    ordered: bool = False
    columns: Sequence[str] | None = None
    maximum: Number | None = None

    def client(
        self, oracle: str | AnyWorkloadDesign, privacy: Privacy | None, seed: int | None
    ) -> tuple[Client, Sequence[str] | None]:
        """Make the client, and return the names of the columns that its values are in.

        Raises:
            InputError: for what does not go together, and as `make_client` and `parse_marginal_oracle`.
        """
        if self._asks_tuples and (workload := _design_workload(oracle)) is not None:
            named = oracle if isinstance(oracle, str) else "a design"
            return self._client_of_tuples(oracle, workload, shorten(named), privacy, seed)
        if isinstance(oracle, AnyWorkloadDesign):
            return self._client_of(oracle_of_design(oracle, privacy), seed)
        if is_marginal_oracle(oracle):
            given = {"bins": self.bins, "beyond": self.beyond, "ordered": self.ordered or None, "maximum": self.maximum}
            for name, value in given.items():
                if value is not None:
                    raise InputError(f"{name} goes with oracles of one column, got it with {shorten(oracle)}")
            attributes = selected_attributes(self.domain, self.columns, shorten(oracle))
            marginal = parse_marginal_oracle(oracle, attributes.sizes, require_privacy(privacy))
            return Client(marginal, encoder_of(attributes), seed), attributes.names
        items = self._encoder(oracle)
        return make_client(oracle, privacy, items, self.maximum, seed), self.columns

    @property
    def _asks_tuples(self) -> bool:
        """Whether several columns are meant, with an item in each."""
        several = self.columns is not None and len(self.columns) > 1
        return self.bins is None and self.maximum is None and (isinstance(self.domain, Attributes | Mapping) or several)

    def _client_of_tuples(
        self, oracle: str | AnyWorkloadDesign, workload: Workload, named: str, privacy: Privacy | None, seed: int | None
    ) -> tuple[Client, Sequence[str]]:
        """Make the client of a design whose items are the tuples of attributes, each in a column.

        Raises:
            InputError: for other attributes than the design has, and as `client`.
        """
        table = selected_attributes(self.domain, self.columns, named)
        wanted = workload.domains if isinstance(workload, Marginals) else None
        if prod(table.sizes) != workload.k or wanted not in (None, table.sizes):
            sizes = f"{workload.k} tuples" if wanted is None else f"{', '.join(map(str, wanted))} items"
            got = ", ".join(map(str, table.sizes))
            raise InputError(f"attributes must have {sizes}, as {named} does, got {got} items")
        made: FrequencyOracle
        if isinstance(oracle, AnyWorkloadDesign):
            made = oracle_of_design(oracle, privacy)
        else:
            made = parse_oracle(oracle, workload.k, privacy)
        return make_item_client(made, tuple_encoder(table), seed), table.names

    def _client_of(self, oracle: FrequencyOracle, seed: int | None) -> tuple[Client, Sequence[str] | None]:
        """Make the client of an oracle for items; errors as `client`."""
        items = self._encoder(oracle.title)
        if items is None or self.maximum is not None:
            got = "none" if items is None else "a maximum"
            raise InputError(f"domain must be given for {oracle.title}, a public list of all items, or bins, got {got}")
        return make_item_client(oracle, items, seed), self.columns

    def _encoder(self, oracle: str) -> Encoder[ItemDomain] | None:
        """Make the encoder of the items, in as many columns as were named; None for neither domain nor bins."""
        if isinstance(self.domain, Attributes | Mapping):
            raise InputError(f"domain must be a list of items for {shorten(oracle)}, got attributes")
        if self.columns is not None and len(self.columns) > 1 and self.bins is None:
            raise refused_columns(oracle, len(self.columns))
        items = encoder_for(self.domain, self.bins, self.beyond, self.ordered)
        require_columns(self.columns, 2 if items is not None and isinstance(items.domain, Grid) else 1)
        return items


def _design_workload(oracle: str | AnyWorkloadDesign) -> Workload | None:
    """Return the workload of a design, in memory or in a file; None for other oracles."""
    if isinstance(oracle, AnyWorkloadDesign):
        return oracle.problem.workload
    if not (is_mechanism_file(oracle) and Path(oracle).is_file()):
        return None
    stored = read_stored(oracle)
    return stored.problem.workload if isinstance(stored, StoredWorkloadDesign | StoredLevelDesign) else None


def require_columns(columns: Sequence[str] | None, wanted: int) -> None:
    """Refuse columns that are not as many as wanted: as the bins, or one for other values.

    Raises:
        InputError: with both numbers.
    """
    given = 1 if columns is None else len(columns)
    if given != wanted:
        raise InputError(f"columns must be as many as the bins, {wanted}, got {given}")
    if columns is not None and len(set(columns)) != given:
        raise InputError(f"columns must be two, got {shorten(columns[0])} twice")


def refused_columns(oracle: str, columns: int) -> InputError:
    """Make the error for several columns without bins, where the oracle takes one, or is unknown.

    Raises:
        InputError: for an unknown oracle, with the nearest one.
    """
    word = without_flat(oracle).partition(":")[0].strip().lower()
    if word in PLANES:
        return InputError(f"columns must be given with bins, one for each, got {columns} without bins")
    several = list(dict.fromkeys(name.partition(":")[0] for name in MARGINAL_ORACLES))
    if word.startswith(WorkloadOracle.name):
        return InputError(f"columns must be one for {oracle}, whose items are in one column, got {columns}")
    if word != DESIGN.strip(":") and not is_mechanism_file(oracle):
        require_known(word, [*several, *ORACLES, *MEAN_ORACLES], "oracle")
    return InputError(
        f"columns must be one for {shorten(oracle)}, got {columns}; "
        f"for several attributes there are {', '.join(several)}"
    )
