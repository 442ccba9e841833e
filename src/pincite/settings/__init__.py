"""Settings of a library: one file per section; `load.py` reads them from YAML and the environment."""

from pincite.settings.config import DEFAULT_LIBRARY, Config
from pincite.settings.load import load_config, read_yaml

__all__ = ["DEFAULT_LIBRARY", "Config", "load_config", "read_yaml"]
