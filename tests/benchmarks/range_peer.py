"""Boninsegna's ldp-hierarchical-mechanism, called as its users call it: `range_peer.py VALUES.npy K EPSILON TIMES`.

Run by the Python of an environment of its own (`ranges.py` says how it is made). Prints as JSON: CPU seconds of client
and server, the mean squared error over all prefixes, and its estimate of the whole, which it does not keep at 1. Each
user reports one random level (`on_all_levels=False`); the library's default spends epsilon at every level.
"""

import json
import statistics
import sys
import time
import warnings

import numpy as np

FAN_OUT = 4


def main() -> None:
    warnings.simplefilter("ignore")
    from hierarchical_mechanism_LDP import Private_TreeBary

    path, k, epsilon, times = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    values = np.load(path)
    truth = np.cumsum(np.bincount(values, minlength=k)) / len(values)
    took, errors, wholes = [], [], []
    for _ in range(times):
        started = time.process_time()
        tree = Private_TreeBary(k, FAN_OUT, epsilon, on_all_levels=False)
        tree.update_tree(values)
        tree.compute_attributes()
        tree.post_process()
        took.append(time.process_time() - started)
        errors.append(float(np.mean((tree.cdf[:k] - truth) ** 2)))
        wholes.append(float(tree.cdf[-1]))
    found = {"seconds": statistics.median(took), "error": statistics.mean(errors), "whole": statistics.mean(wholes)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
