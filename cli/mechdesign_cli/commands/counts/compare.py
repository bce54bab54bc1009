"""The command `mechdesign compare`: mechanisms for counts side by side on data."""

from functools import partial

from mechdesign.counts.error_metrics import KNOWN
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.comparisons.of_mechanisms import MECHANISMS, MechanismComparison, measure_mechanisms
from mechdesign_catalog.datasets.items import means_items
from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS, parse_candidates
from mechdesign_cli.files.output import ComparisonOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import files_read, prior_python, read_loss, read_prior
from mechdesign_cli.parsing.data_options import DataSource, note_dropped
from mechdesign_cli.python_text import CATALOG, NUMBER, Code, PythonText
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.comparisons import data_entries, mechanisms_picture, mixed_privacy, report_mechanisms
from mechdesign_cli.showing.messages import remark
from mechdesign_cli.showing.progress import progress_after_a_second


class Compare(Command):
    """Each metric is shown twice: its exact expectation given the data, and the mean of simulated releases.

    Example: mechdesign compare --data saxony --alpha 0.9 --mechanisms "GM;WM;EM;UM" --metric error-rate,rmse
    """

    mechanisms: str = option(
        f"Separated by semicolons: {', '.join([*COUNT_FORMS, *NAMED_DESIGNS])}, design:PROPS:LOSS, and files "
        "(.json, .npz, .npy, .csv if exact).",
        default=MECHANISMS,
    )
    n: options.GroupSizes = None
    alpha: options.Alphas = None
    epsilon: options.Epsilons = None
    loss: str = option("What the named designs minimise: L0, L1, L2, L0:1.", default="L0")
    prior: options.PriorOption = None
    metrics: str | None = option(f"Errors to measure, separated by commas: {', '.join(KNOWN)} (any d).", "--metric")
    repetitions: int | None = option("Number of simulated releases of all groups (default 50).", metavar="TIMES")
    seed: options.Seed = None
    source: DataSource
    files: ComparisonOutput

    def run(self) -> None:
        """Compare mechanisms, write the files and print."""
        self.source.check()
        if self.source.data is not None and means_items(self.source.data):
            raise InputError(
                f"data must be counts of groups, got the items of {shorten(self.source.data)}; "
                "use mechdesign local compare"
            )
        candidates = parse_candidates(self.mechanisms)
        made = [candidate.path for candidate in candidates if candidate.path is not None]
        self.files.require_targets([*self.source.files_read(), *made, *files_read(None, self.loss, self.prior)])
        comparison = MechanismComparison.of(
            self.source.read(self.seed),
            candidates,
            **self.arguments("mechanisms", "loss", "prior", "seed"),
            loss=read_loss(self.loss),
            prior=None if self.prior is None else read_prior(self.prior),
        )
        if self.files.plot is not None:
            from mechdesign_figures.plots.mechanisms.comparison import require_plottable

            require_plottable(comparison)
        with progress_after_a_second("releasing", comparison.draws) as show:
            rows = measure_mechanisms(comparison, None if self.seed is None else seeded_words(self.seed), show)
        for counts in comparison.grouped:
            note_dropped(counts)
        if comparison.alphas and all(candidate.is_made for candidate in candidates):
            remark("alpha is not used: files have an alpha of their own")
        privacy = "alpha" if self.epsilon is None else "epsilon"
        if mixed := mixed_privacy(candidates, rows, privacy):
            remark(f"warning: the mechanisms differ in {privacy}: {mixed}")
        self.files.deliver(
            rows,
            {"data": data_entries(comparison.grouped), "seed": self.seed},
            partial(mechanisms_picture, rows, comparison),
            partial(report_mechanisms, rows, comparison.grouped, privacy),
        )

    def python(self, text: PythonText) -> None:
        """Write a comparison of mechanisms on data."""
        source = self.source.python(text, self.seed, by_name=True)
        n = Code(self.n) if self.n is not None and NUMBER.fullmatch(self.n) else self.n
        given = self.arguments("n", "prior") | {"n": n, "prior": prior_python(text, self.prior)}
        text.call("rows", text.use(CATALOG, "compare_mechanisms"), source, **given)
        self.files.python(text, "compare", "plot_mechanism_comparison")
