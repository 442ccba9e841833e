"""What can be said about a text without a model: its language, words, sentences and length in tokens."""
