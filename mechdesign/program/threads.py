"""Linear algebra in one thread, where matrices are small."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS work in one thread in this block.

    A search factors thousands of small matrices one after the other. There several threads cost more than they do: each
    waits for the others at every step, on a busy machine for its turn (prefixes of 16 items: 0.3 s in one thread, 9 s
    in two).
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield
