"""The messages and the service of proto/pincite/semantic/v1, as protoc writes them; `make grpc` makes them again."""
