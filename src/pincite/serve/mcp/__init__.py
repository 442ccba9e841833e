"""The door for agents: the Model Context Protocol over stdio and Streamable HTTP.

    tools.py          which tools there are; guidance.py: what a model reads about them; schemas.py: their shapes
    calls.py          from a tool call to its result, or to an error from which a model can correct itself
    text.py           an answer as the text that a model reads; fit.py: kept under 32,000 characters
    resources.py      pincite://… addresses; prompts.py: the prompt; completions.py: what can be typed next
    document_tools.py the tools of an agent.yaml
    server.py         all of it as one server of the SDK, for both eras of the protocol
    stdio.py          …on standard input and output; opening.py: the library opened behind the first tool list
    streamable.py     …over HTTP, behind gate.py, which asks who calls

The SDK's low-level server is used throughout: its decorators would let unknown arguments pass, and say in pydantic's
words what is wrong with the others.
"""
