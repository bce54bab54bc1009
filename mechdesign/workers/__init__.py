"""Workers for many arguments: this process, several, a Dask cluster, or an executor.

>>> from fractions import Fraction
>>> from mechdesign.workers.choosing import workers_for
>>> from mechdesign.workers.work_through import work_through
>>> with workers_for(jobs=1).open() as workers:
...     [outcome.result() for outcome in work_through(Fraction, ["1/2", "0.1"], workers)]
[Fraction(1, 2), Fraction(1, 10)]
"""
