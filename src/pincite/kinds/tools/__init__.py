"""Tools of agents: lists in the shapes that agents use become elements that can be ranked for a request."""

from pincite.kinds.tools.cut import element, element_id
from pincite.kinds.tools.read import load_tools_file, parse_tools
from pincite.kinds.tools.tool import Parameter, Tool

__all__ = ["Parameter", "Tool", "element", "element_id", "load_tools_file", "parse_tools"]
