"""Document tools: search over a folder of documents, given to an agent by YAML alone."""

from pincite.document_tools.config import AgentFile, DocumentToolConfig, load_agent_file
from pincite.document_tools.format import format_results
from pincite.document_tools.results import Result, Results
from pincite.document_tools.tool import DocumentTool, Tools, load_tools

__all__ = [
    "AgentFile",
    "DocumentTool",
    "DocumentToolConfig",
    "Result",
    "Results",
    "Tools",
    "format_results",
    "load_agent_file",
    "load_tools",
]
