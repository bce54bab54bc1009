"""Average variances in the settings of published tables, against numbers of another program.

n = 2^26 users, epsilon = 1.1, equal levels, uniform shares. The numbers come from closed forms for full trees that were
written apart from the package and checked against dense weighted least squares at up to 128 items.
"""

import pytest

from mechdesign.documents.workloads import parse_workload
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.registry import parse_oracle

AVERAGES = {
    ("ranges", 1 << 8, "hh:b=2"): 5.6454256129e-07,
    ("ranges", 1 << 8, "hh:b=2:estimate=raw"): 2.2252786650e-06,
    ("ranges", 1 << 8, "hh:b=4"): 5.3605231273e-07,
    ("ranges", 1 << 8, "hh:b=4:estimate=raw"): 1.5907191111e-06,
    ("ranges", 1 << 8, "hh:b=16"): 6.6306711138e-07,
    ("ranges", 1 << 8, "hh:b=16:estimate=raw"): 1.6960461444e-06,
    ("ranges", 1 << 16, "hh:b=2"): 2.3831023466e-06,
    ("ranges", 1 << 16, "hh:b=2:estimate=raw"): 1.1078964566e-05,
    ("ranges", 1 << 16, "hh:b=4"): 2.4131847945e-06,
    ("ranges", 1 << 16, "hh:b=4:estimate=raw"): 8.1527514260e-06,
    ("ranges", 1 << 16, "hh:b=16"): 3.3299054966e-06,
    ("ranges", 1 << 16, "hh:b=16:estimate=raw"): 9.6016804299e-06,
    ("ranges", 1 << 22, "hh:b=2"): 4.5908847437e-06,
    ("ranges", 1 << 22, "hh:b=2:estimate=raw"): 2.3085638805e-05,
    ("ranges", 1 << 22, "hh:b=4"): 4.7951811068e-06,
    ("ranges", 1 << 22, "hh:b=4:estimate=raw"): 1.7099311213e-05,
    ("ranges", 1 << 22, "hh:b=16"): 7.7175828540e-06,
    ("ranges", 1 << 22, "hh:b=16:estimate=raw"): 2.3507232985e-05,
    ("prefixes", 1 << 8, "hh:b=2"): 3.3277527529e-07,
    ("prefixes", 1 << 8, "hh:b=2:estimate=raw"): 1.5229409917e-06,
    ("prefixes", 1 << 8, "hh:b=4"): 3.2879458576e-07,
    ("prefixes", 1 << 8, "hh:b=4:estimate=raw"): 1.1128923598e-06,
    ("prefixes", 1 << 8, "hh:b=16"): 4.5308617784e-07,
    ("prefixes", 1 << 8, "hh:b=16:estimate=raw"): 1.3555344537e-06,
    ("prefixes", 1 << 16, "hh:b=2"): 1.2927659177e-06,
    ("prefixes", 1 << 16, "hh:b=2:estimate=raw"): 6.3791726285e-06,
    ("prefixes", 1 << 16, "hh:b=4"): 1.3287689397e-06,
    ("prefixes", 1 << 16, "hh:b=4:estimate=raw"): 4.7261553179e-06,
    ("prefixes", 1 << 16, "hh:b=16"): 1.9093713876e-06,
    ("prefixes", 1 << 16, "hh:b=16:estimate=raw"): 5.8355841284e-06,
    ("prefixes", 1 << 22, "hh:b=2"): 2.4350668264e-06,
    ("prefixes", 1 << 22, "hh:b=2:estimate=raw"): 1.2698027151e-05,
    ("prefixes", 1 << 22, "hh:b=4"): 2.5660406547e-06,
    ("prefixes", 1 << 22, "hh:b=4:estimate=raw"): 9.4436949825e-06,
    ("prefixes", 1 << 22, "hh:b=16"): 4.0381599889e-06,
    ("prefixes", 1 << 22, "hh:b=16:estimate=raw"): 1.2508874656e-05,
    ("ranges", 1 << 8, "haar"): 5.6680399750e-07,
    ("ranges", 1 << 16, "haar"): 2.4031920143e-06,
    ("ranges", 1 << 22, "haar"): 4.6138883876e-06,
    ("prefixes", 1 << 8, "haar"): 3.4118301046e-07,
    ("prefixes", 1 << 16, "haar"): 1.3193122527e-06,
    ("prefixes", 1 << 22, "haar"): 2.4692745807e-06,
}


@pytest.mark.parametrize(("workload", "k", "system"), AVERAGES)
def test_average_variances_are_those_of_another_program(workload, k, system):
    oracle = parse_oracle(system, k, Privacy(epsilon="1.1"))
    found = oracle.average_variance(parse_workload(workload, k), 1 << 26)
    assert found == pytest.approx(AVERAGES[workload, k, system], rel=1e-9)
