"""The door for programs: gRPC, `pincite.semantic.v1.SemanticQueryService` of proto/.

    server.py     start it; running.py: while it runs, with health and, on request, reflection, and how it stops
    calls.py      from a call to the desk and back, within the caller's deadline
    messages.py   a request as arguments, the wire's JSON as a message; the names are the same
    problems.py   an error as a status with details
    unreadable.py a request that is no message, refused like any other wrong one
    senders.py    what a call says about who sends it and how
    generated/    what protoc makes of proto/

grpc is imported below this folder only, and not by `server.py` itself: whoever lacks the extra is told what to install.
"""
