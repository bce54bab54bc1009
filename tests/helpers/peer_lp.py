"""The optimum by another formulation: a dense matrix variable, as a reader of the papers would write it."""

from fractions import Fraction

import cvxpy
import numpy as np


def by_cvxpy(problem, solver="HIGHS"):
    """Score of a problem of any model; privacy over all pairs of inputs, as the distances say."""
    size = problem.size
    p = cvxpy.Variable((size, size), nonneg=True)
    rules = [cvxpy.sum(p, axis=0) == 1]
    ratios = float(problem.alpha) ** (float(problem.model.unit) * problem.graph.distances)
    one = np.eye(size)
    pairs = [one[j] - ratios[j, k] * one[k] for j in range(size) for k in range(size) if j != k]
    rules.append(p @ np.transpose(pairs) >= 0)
    rules += property_rules(problem, p)
    loss = np.array([[float(value) for value in row] for row in problem.loss.matrix(size)])
    by_column = cvxpy.sum(cvxpy.multiply(loss, p), axis=0)
    if problem.is_worst_case:
        aim = cvxpy.max(by_column)
    else:
        aim = np.array([float(weight) for weight in problem.prior.weights(size)]) @ by_column
    task = cvxpy.Problem(cvxpy.Minimize(aim), rules)
    return float(problem.rescaling) * task.solve(solver=solver)


def property_rules(problem, p):
    """The properties, each as its definition says."""
    size, n, asked = problem.size, problem.n, problem.properties
    diagonal, all_ones = cvxpy.diag(p), np.ones((1, size))
    by_row = cvxpy.reshape(diagonal, (size, 1), order="C") @ all_ones
    places = np.arange(size)
    falls = np.where(places[:n] >= places[:, None], 1, -1)  # from k to k + 1 in row i: towards the diagonal it rises
    rules = {
        "RH": p <= by_row,
        "CH": p <= by_row.T,
        "RM": cvxpy.multiply(falls, p[:, :-1] - p[:, 1:]) >= 0,
        "CM": cvxpy.multiply(falls.T, p[:-1, :] - p[1:, :]) >= 0,
        "F": diagonal == diagonal[0],
        "FE": p[0, 0] == p[n, n],
        "S": p == p[::-1, ::-1],
    }
    parameters = {name.partition(":")[0]: float(Fraction(name.partition(":")[2] or 1)) for name in asked}
    beta = parameters.get("OS", 0.0)
    smooth = [p[1:, :] >= beta * p[:-1, :], p[:-1, :] >= beta * p[1:, :], diagonal >= parameters.get("WH", 0.0) / size]
    return smooth + [rules[name] for name in asked & rules.keys()]
