"""Options for `--oracle best`: which queries will be asked, and how many users are announced."""

from pathlib import Path

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.choosing import BEST, USERS, choose_oracle, stated_workload
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.items import ItemOptions
from mechdesign_cli.python_text import CATALOG, Code, PythonText
from mechdesign_cli.record import Group, option
from mechdesign_cli.showing.messages import remark


class BestOracle(Group, title="With --oracle best"):
    """The basis for choosing the best oracle: never values, or how many there are."""

    workload: options.WorkloadName = None
    users: int = option(
        "Number of users that you expect; all clients must state the same.", default=USERS, metavar="USERS"
    )

    def name(self, oracle: str | None, items: ItemOptions, privacy: Privacy | None, k: int | None = None) -> str | None:
        """Return the oracle that is named, or the best one, with a remark on which that is.

        Raises:
            InputError: for queries without `best`, or `best` without queries.
        """
        if oracle != BEST:
            if self.workload is not None:
                got = "none" if oracle is None else shorten(oracle)
                raise InputError(f"--workload goes with --oracle {BEST}, got it with {got}")
            return oracle
        if self.workload is None:
            raise InputError(f"--workload must be given with --oracle {BEST}, got none; try --workload ranges")
        if privacy is None:
            privacy = Privacy()  # says what is missing
        given = items.named()
        columns = given.get("columns")
        asked = stated_workload(self.workload, k, given.get("domain"), given.get("bins"), columns)
        chosen = choose_oracle(asked, privacy, self.users)
        remark(f"best for {asked.name} by {self.users:,} users: {chosen}")
        return chosen

    @property
    def sources(self) -> list[Path]:
        """The file of the queries, where there is one."""
        return files_read(None, self.workload)

    def python(self, text: PythonText, oracle: str | None, **given: object) -> str | Code | None:
        """Write the choice, and return what stands for the oracle."""
        if oracle != BEST:
            return oracle
        of_items = ("alpha", "epsilon", "k", "domain", "bins", "columns")
        known = {name: value for name, value in given.items() if name in of_items}
        text.call("oracle", text.use(CATALOG, "best_oracle"), self.workload, **known, **self.arguments("workload"))
        return Code("oracle")
