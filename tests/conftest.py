import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# The first example may have to wait for a kernel to compile.
settings.register_profile("capsa", deadline=None)
settings.load_profile("capsa")


@pytest.fixture(scope="session")
def train_pools() -> ModuleType:
    """The script that makes the shipped pools."""
    path = Path(__file__).parents[1] / "scripts" / "01_train_pools.py"
    spec = importlib.util.spec_from_file_location("train_pools", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
