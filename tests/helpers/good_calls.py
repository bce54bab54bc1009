"""A call of each public function, in which one argument at a time is replaced by a wrong value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mechdesign as md


@dataclass(frozen=True)
class Call:
    """A function, and arguments that it takes; made anew in a folder of its own for every wrong value."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, function: Callable[..., Any], **arguments: Any) -> "Call":
        """Return a call by keywords."""
        return cls(function, arguments)


@cache
def problem():
    return md.DesignProblem(2, "0.9", properties="WH")


@cache
def best():
    return md.design(problem())


@cache
def workload_problem():
    return md.WorkloadProblem(md.parse_workload("prefixes", 4), alpha="0.5")


@cache
def workload_design():
    return md.design(workload_problem(), gap="0.1")


@cache
def law():
    return md.design_law(alpha="0.5")


@cache
def noise_problem():
    return md.NoiseTableProblem(noise=2, variance=1, objective="L1", guarantees=["1:0.5"])


@cache
def noise_table():
    return md.design_noise_table(noise_problem())


def fill(folder: Path) -> None:
    """Write the files that calls name."""
    md.export(noise_table(), folder / "noise.json")
    md.export(best(), folder / "best.json")
    md.export(workload_design(), folder / "work.json")
    md.export(law(), folder / "law.json")
    (folder / "formula.json").write_text(small_formula().text)
    (folder / "areas.csv").write_text("area,poor,homes\na,1,2\nb,0,2\nc,2,2\n")
    (folder / "people.csv").write_text("person,area,poor\np,a,1\nq,a,0\nr,b,1\n")
    md.apply_noise_table(
        folder / "noise.json",
        folder / "people.csv",
        ["area,poor"],
        secret=folder / "office.secret",
        name="first",
        output=folder / "cells.csv",
        record=folder / "cells.json",
    )
    md.Ledger.new(folder / "office.db", budget=2).account("census").reserve(_charge())
    md.release_file(
        folder / "people.csv",
        folder / "out.csv",
        record=folder / "out.json",
        bit="poor",
        group="area",
        alpha="0.5",
        key=folder / "k.key",
    )


def _charge():
    from fractions import Fraction

    from mechdesign.ledgers.entry import Charge

    return Charge("release", Fraction(1, 2))


def engine_calls() -> dict[str, Callable[[Path], Call]]:
    """Return all calls of the engine by name; each is made in a folder that `fill` has filled."""
    from fractions import Fraction

    import numpy as np
    import pandas as pd

    from mechdesign.ledgers.entry import EntryState

    half = md.Mechanism.from_fractions([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]])
    table = pd.DataFrame({"count": [0, 1, 2]})
    return {
        "audit": lambda f: Call.of(md.audit, matrix=best(), alpha="0.9", properties="WH", model=md.Model.count(2)),
        "NoiseTableProblem": lambda f: Call.of(
            md.NoiseTableProblem,
            noise=2,
            variance="1",
            variance_equal=False,
            block=0,
            zeros="fixed",
            shape="unimodal",
            symmetric=False,
            stay=0,
            keys=None,
            guarantees=["1:0.5"],
            objective="L1",
        ),
        "formula": lambda f: Call.of(md.formula, problem=small_formula().problem, time_limit=10.0),
        "formula_landscape": lambda f: Call.of(md.formula_landscape, problem=small_formula().problem, time_limit=10.0),
        "law_formula": lambda f: Call.of(md.law_formula, properties="CM", to="2/3", at=(), time_limit=10.0),
        "read_formula": lambda f: Call.of(md.read_formula, path=f / "formula.json"),
        "design_noise_table": lambda f: Call.of(md.design_noise_table, problem=noise_problem(), time_limit=10.0),
        "audit_curve": lambda f: Call.of(md.audit_curve, source=noise_table(), hide=0),
        "audit_curve file": lambda f: Call.of(md.audit_curve, source=f / "best.json"),
        "check_table_release": lambda f: Call.of(
            md.check_table_release,
            record=f / "cells.json",
            output=f / "cells.csv",
            input=f / "people.csv",
            secret=f / "office.secret",
            domain=None,
        ),
        "apply_noise_table": lambda f: Call.of(
            md.apply_noise_table,
            table=f / "noise.json",
            input=f / "people.csv",
            by=["area,poor"],
            secret=f / "office.secret",
            name="first",
            output=f / "new.csv",
            record=f / "new.json",
            domain=None,
            unit_column="person",
            hide=0,
            keep_true=False,
        ),
        "audit file": lambda f: Call.of(md.audit, matrix=f / "best.json"),
        "compare_with_optimum": lambda f: Call.of(md.compare_with_optimum, problem=problem(), matrix=best()),
        "derive_law": lambda f: Call.of(md.derive_law, law=law()),
        "read_design every size": lambda f: Call.of(md.read_design, path=f / "law.json"),
        "read_design law": lambda f: Call.of(md.read_design, path=f / "law.json", n=5),
        "read_mechanism law": lambda f: Call.of(md.read_mechanism, path=f / "law.json", n=5),
        "audit law": lambda f: Call.of(md.audit, matrix=f / "law.json"),
        "audit workload": lambda f: Call.of(md.audit, matrix=f / "work.json"),
        "check_release": lambda f: Call.of(
            md.check_release, record=f / "out.json", output=f / "out.csv", input=f / "people.csv", key=f / "k.key"
        ),
        "derive": lambda f: Call.of(md.derive, mechanism=half, alpha="0.9"),
        "design": lambda f: Call.of(
            md.design, problem=problem(), method="auto", solver="highs", time_limit=10.0, exact=False
        ),
        "design workload": lambda f: Call.of(
            md.design, problem=workload_problem(), gap="0.1", outputs=None, start=workload_design()
        ),
        "design_law": lambda f: Call.of(md.design_law, alpha="0.5", properties="WH", loss="L0", time_limit=10.0),
        "design_law epsilon": lambda f: Call.of(md.design_law, epsilon=1, privacy=None),
        "design_workload": lambda f: Call.of(
            md.design_workload,
            problem=workload_problem(),
            gap="0.1",
            outputs=None,
            start=workload_design(),
            time_limit=10.0,
            tell=None,
        ),
        "estimate": lambda f: Call.of(
            md.estimate, released=[0, 1, 2], mechanism=best(), column=None, confidence="0.95", tolerance=1e-06
        ),
        "find_ties": lambda f: Call.of(
            md.find_ties, problem=md.DesignProblem(2, "1/2"), then=("L1",), solver="highs", time_limit=60
        ),
        "calibrate": lambda f: Call.of(
            md.calibrate,
            n=2,
            properties="WH",
            within=None,
            chance=None,
            loss="L1",
            score="0.5",
            prior=None,
            aggregate="expected",
            time_limit=30.0,
        ),
        "tabulate_wishes": lambda f: Call.of(md.tabulate_wishes, found=wishes()),
        "estimate table": lambda f: Call.of(md.estimate, released=table, mechanism=f / "best.json", column="count"),
        "estimate_groups": lambda f: Call.of(
            md.estimate_groups, output=f / "out.csv", record=f / "out.json", confidence="0.95"
        ),
        "estimate_release": lambda f: Call.of(
            md.estimate_release, output=f / "out.csv", record=f / "out.json", confidence="0.95"
        ),
        "export": lambda f: Call.of(md.export, design=best(), path=f / "new.json"),
        "export law": lambda f: Call.of(md.export, design=law(), path=f / "new.json"),
        "landscape": lambda f: Call.of(
            md.landscape,
            problem=md.DesignProblem(1, "0.5"),
            time_limit=30.0,
            on_progress=lambda n: None,
            cluster=None,
            executor=None,
        ),
        "make_plan": lambda f: Call.of(md.make_plan, problem=problem(), method="auto", solver="highs"),
        "mend": lambda f: Call.of(md.mend, problem=problem(), matrix=best()),
        "parse_workload": lambda f: Call.of(md.parse_workload, text="prefixes", k=4),
        "posterior": lambda f: Call.of(md.posterior, released=1, mechanism=best(), prior="uniform"),
        "privacy_statement": lambda f: Call.of(
            md.privacy_statement, alpha=Fraction(1, 2), n=3, rows=2, seed=None, unit="person"
        ),
        "read_design": lambda f: Call.of(md.read_design, path=f / "best.json"),
        "read_matrix": lambda f: Call.of(md.read_matrix, path=f / "best.json"),
        "read_mechanism": lambda f: Call.of(md.read_mechanism, path=f / "best.json"),
        "read_record": lambda f: Call.of(md.read_record, path=f / "out.json"),
        "read_design workload": lambda f: Call.of(md.read_design, path=f / "work.json"),
        "release": lambda f: Call.of(
            md.release, table=table, mechanism=best(), column="count", size=None, keep_true=False, seed=5
        ),
        "release_file": lambda f: Call.of(
            md.release_file,
            input=f / "areas.csv",
            output=f / "new.csv",
            record=None,
            bit=None,
            group=None,
            column="poor",
            size="homes",
            mechanism=None,
            alpha="0.5",
            properties="WH",
            loss="L0",
            prior=None,
            unit="person",
            key=None,
            seed=5,
        ),
        "release_file people": lambda f: Call.of(
            md.release_file,
            input=f / "people.csv",
            output=f / "new.csv",
            record=f / "new.json",
            bit="poor",
            group="area",
            epsilon=1,
            unit_column="person",
            key=f / "k.key",
            ledger=f / "office.db",
            dataset="census",
            part="north",
        ),
        "simulate_release": lambda f: Call.of(
            md.simulate_release, mechanism=best().mechanism, counts=np.array([0, 1, 2]), seed=5
        ),
        "sweep": lambda f: Call.of(
            md.sweep,
            n=2,
            alpha=["0.5"],
            properties="WH",
            loss="L0",
            prior="uniform",
            aggregate="expected",
            output=f / "sweep.csv",
            overwrite=False,
            solver="highs",
            time_limit=10.0,
            exact=False,
            cluster=None,
        ),
        "sweep ldp": lambda f: Call.of(md.sweep, k=3, epsilon=1, model="lldp", radius=1),
        "to_dp_accounting": lambda f: Call.of(md.to_dp_accounting, design=best(), model=None, interval=0.0001),
        "to_opendp": lambda f: Call.of(md.to_opendp, design=best(), model=None),
        "to_qif": lambda f: Call.of(md.to_qif, design=best(), exact=False),
        "DesignProblem": lambda f: Call.of(
            md.DesignProblem,
            n=2,
            alpha="0.9",
            properties="WH",
            loss="L0",
            prior="uniform",
            model=None,
            aggregate="expected",
            step=None,
        ),
        "DesignProblem of a model": lambda f: Call.of(md.DesignProblem, model=md.Model.ldp(3), epsilon=1),
        "WorkloadProblem": lambda f: Call.of(
            md.WorkloadProblem, workload=md.parse_workload("prefixes", 4), alpha="0.5", aggregate="expected"
        ),
        "Privacy": lambda f: Call.of(md.Privacy, alpha="0.5"),
        "Privacy by epsilon": lambda f: Call.of(md.Privacy, epsilon="0.5"),
        "Privacy.parse": lambda f: Call.of(md.Privacy.parse, text="0.5"),
        "Privacy.split": lambda f: Call.of(md.Privacy("0.5").split, parts=2),
        "Privacy.root": lambda f: Call.of(md.Privacy("0.5").root, parts=2),
        "Privacy.allows": lambda f: Call.of(md.Privacy("0.5").allows, alpha=Fraction(1, 2)),
        "Privacy.epsilon_text": lambda f: Call.of(md.Privacy("0.5").epsilon_text, digits=6),
        "Model.count": lambda f: Call.of(md.Model.count, n=2),
        "Model.ldp": lambda f: Call.of(md.Model.ldp, k=2),
        "Model.lldp": lambda f: Call.of(md.Model.lldp, k=3, radius=1),
        "Model.metric": lambda f: Call.of(md.Model.metric, distances=[[0, 1], [1, 0]], unit=1),
        "Loss.parse": lambda f: Call.of(md.Loss.parse, text="L1"),
        "Loss.from_matrix": lambda f: Call.of(md.Loss.from_matrix, matrix=[[0, 1], [1, 0]]),
        "Prior.parse": lambda f: Call.of(md.Prior.parse, text="uniform"),
        "Prior.from_weights": lambda f: Call.of(md.Prior.from_weights, weights=[1, 2]),
        "Mechanism": lambda f: Call.of(md.Mechanism, weights=((1, 1), (1, 1)), denominator=2),
        "Mechanism.from_fractions": lambda f: Call.of(
            md.Mechanism.from_fractions, matrix=[[Fraction(1, 2), Fraction(1, 2)]] * 2
        ),
        "Mechanism.from_weights": lambda f: Call.of(md.Mechanism.from_weights, weights=[[1, 1], [1, 1]], denominator=2),
        "Mechanism.fraction": lambda f: Call.of(half.fraction, i=0, j=1),
        "Mechanism.sample": lambda f: Call.of(half.sample, counts=[0, 1]),
        "Ledger.new": lambda f: Call.of(md.Ledger.new, path=f / "new.db", budget=1, unit="person"),
        "Ledger.open": lambda f: Call.of(md.Ledger.open, path=f / "office.db"),
        "Ledger.entries": lambda f: Call.of(md.Ledger.open(f / "office.db").entries, dataset="census"),
        "Ledger.balances": lambda f: Call.of(md.Ledger.open(f / "office.db").balances, dataset="census"),
        "Ledger.account": lambda f: Call.of(
            md.Ledger.open(f / "office.db").account, dataset="census", unit="person", part=""
        ),
        "Ledger.settle": lambda f: Call.of(md.Ledger.open(f / "office.db").settle, number=1, state=EntryState.LOST),
        "Ledger.note_draw": lambda f: Call.of(
            md.Ledger.open(f / "office.db").note_draw, number=1, content="", hint="", memory=""
        ),
        "Formula.score": lambda f: Call.of(small_formula().score, alpha="1/2"),
        "LawFormula.piece": lambda f: Call.of(small_law_formula().piece, alpha="1/2"),
        "LawFormula.gain": lambda f: Call.of(small_law_formula().gain, alpha="1/2"),
        "LawFormula.score": lambda f: Call.of(small_law_formula().score, alpha="1/2", n=4),
        "Formula.mechanism": lambda f: Call.of(small_formula().mechanism, alpha="1/2"),
        "Landscape.class_of": lambda f: Call.of(small_landscape().class_of, names=["WH"]),
        "Workload.queries": lambda f: Call.of(md.parse_workload("prefixes", 4).queries, start=0, stop=2),
        "Workload.answers": lambda f: Call.of(md.parse_workload("prefixes", 4).answers, vector=np.ones(4)),
        "Cells": lambda f: Call.of(md.Cells, domains=(2, 2), attributes=np.array([0]), numbers=np.array([0])),
        "Intervals": lambda f: Call.of(md.Intervals, k=4, first=np.array([0]), last=np.array([2])),
        "LinearQueries": lambda f: Call.of(md.LinearQueries, matrix=np.eye(2)),
        "Rectangles": lambda f: Call.of(
            md.Rectangles,
            sides=(2, 2),
            first_rows=np.array([0]),
            last_rows=np.array([1]),
            first_columns=np.array([0]),
            last_columns=np.array([1]),
        ),
        "RowMechanism.fraction": lambda f: Call.of(workload_design().mechanism.fraction, row=0, item=0),
        "Posterior.credible_set": lambda f: Call.of(md.posterior(1, best()).credible_set, level=Fraction(9, 10)),
        "Posterior.chance": lambda f: Call.of(md.posterior(1, best()).chance, counts=[0, 1]),
    }


@cache
def small_law_formula():
    return md.law_formula(to="3/5")


@cache
def small_formula():
    return md.formula(n=1)


@cache
def small_formula_landscape():
    return md.formula_landscape(n=1)


@cache
def wishes():
    return [md.calibrate(2, properties="WH", loss="L1", score="0.5")]


@cache
def small_landscape():
    return md.landscape(md.DesignProblem(1, "0.5"))


def figure_calls() -> dict[str, Callable[[Path], Call]]:
    import matplotlib.pyplot as plt

    import mechdesign_figures as mf

    return {
        "picture_bytes": lambda f: Call.of(mf.picture_bytes, picture=plt.figure(figsize=(1, 1)), suffix=".svg"),
        "save_picture": lambda f: Call.of(mf.save_picture, picture=plt.figure(figsize=(1, 1)), path=f / "p.svg"),
        "plot_counts": lambda f: Call.of(mf.plot_counts, counts=[1, 2], ax=None, title="t", unit="groups"),
        "plot_formula": lambda f: Call.of(mf.plot_formula, formula=small_formula(), figure=None),
        "plot_formula_landscape": lambda f: Call.of(
            mf.plot_formula_landscape, landscape=small_formula_landscape(), figure=None
        ),
        "plot_noise_tables": lambda f: Call.of(mf.plot_noise_tables, tables={"a": noise_table()}, figure=None),
        "plot_estimate": lambda f: Call.of(mf.plot_estimate, estimate=md.estimate([0, 1, 2], best()), ax=None),
        "plot_law": lambda f: Call.of(mf.plot_law, source=law(), title="a law"),
        "report_law": lambda f: Call.of(mf.report_law, source=law(), name="a law"),
        "report_workload": lambda f: Call.of(mf.report_workload, source=workload_design(), name="a design"),
        "plot_wishes": lambda f: Call.of(mf.plot_wishes, found=wishes(), figure=None),
        "plot_landscape": lambda f: Call.of(
            mf.plot_landscape, landscape=small_landscape(), ax=None, names=None, title="t"
        ),
        "plot_design": lambda f: Call.of(mf.plot_design, source=best(), figure=None, title="t", column=1),
        "plot_mechanism": lambda f: Call.of(
            mf.plot_mechanism, source=best(), ax=None, title="t", scale=None, labels=None
        ),
        "plot_release_estimate": lambda f: Call.of(
            mf.plot_release_estimate, estimate=md.estimate_release(f / "out.csv", f / "out.json"), figure=None
        ),
        "plot_remap": lambda f: Call.of(
            mf.plot_remap, derivation=md.derive(best().mechanism, "0.9"), ax=None, title="t"
        ),
        "plot_sweep": lambda f: Call.of(mf.plot_sweep, rows=list(sweep_rows()), figure=None),
        "plot_workload_design": lambda f: Call.of(
            mf.plot_workload_design, design=workload_design(), figure=None, title="t"
        ),
        "report_design": lambda f: Call.of(
            mf.report_design, source=best(), name="b", prices=False, data=None, metrics="rmse", repetitions=2, seed=1
        ),
        "save_report": lambda f: Call.of(mf.save_report, report=design_report(), path=f / "r.html"),
        "reproduce": lambda f: Call.of(
            mf.reproduce, number="none such", quick=True, cluster=None, executor=None, data_dir=None
        ),
        "claims_page": lambda f: Call.of(mf.claims_page, claims=[]),
        "measure_claims": lambda f: Call.of(
            mf.measure_claims, cache=None, quick=True, report=lambda n: None, claims=[]
        ),
        "plot_frequencies": lambda f: Call.of(mf.plot_frequencies, estimate=frequencies(), ax=None, level=0.95),
        "plot_distribution": lambda f: Call.of(
            mf.plot_distribution, estimate=frequencies(), ax=None, at=None, level=0.95
        ),
        "plot_mechanism_comparison": lambda f: Call.of(mf.plot_mechanism_comparison, rows=[], figure=None, title="t"),
        "plot_oracle_comparison": lambda f: Call.of(mf.plot_oracle_comparison, rows=[], figure=None),
        "plot_associations": lambda f: Call.of(
            mf.plot_associations, associations=None, names=["a", "b"], ax=None, title=""
        ),
        "plot_dependence_tree": lambda f: Call.of(
            mf.plot_dependence_tree, tree=None, names=["a", "b"], ax=None, title=""
        ),
        "plot_marginal": lambda f: Call.of(mf.plot_marginal, estimate=None, ax=None, level=0.95, title=""),
    }


@cache
def sweep_rows():
    return tuple(md.sweep(2, ["0.5", "0.6"]))


@cache
def design_report():
    import mechdesign_figures as mf

    return mf.report_design(best())


@cache
def frequencies():
    import mechdesign_catalog as mc

    return mc.aggregate(mc.privatize(["a", "b", "b"], "grr", epsilon=1, domain=["a", "b"]))
