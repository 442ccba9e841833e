"""The door for programs: gRPC, `pincite.semantic.v1.SemanticQueryService` of proto/.

    server.py     starts it; running.py: the running server with health, optional reflection, and how it stops
    calls.py      from a call to the desk and back, within the caller's deadline
    messages.py   a request as arguments, wire JSON as a message; the names are the same
    problems.py   an error as a status with details
    unreadable.py a request that is not a valid message, refused like any other bad request
    senders.py    what a call says about its sender and connection
    generated/    protoc's output for proto/

grpc is imported only in this folder, and not by `server.py` itself, so that a missing extra gives a helpful message.
"""
