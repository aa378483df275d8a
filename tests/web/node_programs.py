"""Programs of Node for tests."""

import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node") or "node"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed here")
