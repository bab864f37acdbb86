"""Make the trees these tests share importable: pytest imports test files by path."""

from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).parent))
