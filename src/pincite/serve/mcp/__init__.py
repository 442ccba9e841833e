"""The door for agents: the Model Context Protocol over stdio and Streamable HTTP.

    tools.py          the tools; guidance.py: their descriptions for a model; schemas.py: their shapes
    calls.py          from a tool call to its result, or to an error that helps a model correct itself
    text.py           an answer as text for a model; fit.py: kept under 32,000 characters
    resources.py      pincite://… URIs; prompts.py: the prompt; completions.py: suggestions while typing
    document_tools.py the tools of an agent.yaml
    server.py         everything as one server of the SDK, for both eras of the protocol
    stdio.py          …on standard input and output; opening.py: opens the library after the first tool list
    streamable.py     …over HTTP, behind gate.py, which authenticates the caller

The SDK's low-level server is used throughout: its decorators would accept unknown arguments and report other errors in
pydantic's words.
"""
