"""Authentication: API keys, JWTs, and metadata that tells clients how to get a token."""
