"""What an answer costs in Pincite's indexes and in others: same corpus, questions, filters and depth, in one run."""
