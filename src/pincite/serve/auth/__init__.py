"""Who comes in: API keys, JWTs, and what clients are told about getting one."""
