"""Tests that need published files say which."""

import os
from pathlib import Path

import pytest


def needs_files(*names: str) -> pytest.MarkDecorator:
    """Skip where the folder that MECHDESIGN_DATA names does not have them all."""
    folder = Path(os.environ.get("MECHDESIGN_DATA") or "no folder")
    missing = [name for name in names if not (folder / name).is_file()]
    return pytest.mark.skipif(bool(missing), reason=f"MECHDESIGN_DATA names no folder that has {', '.join(missing)}")
