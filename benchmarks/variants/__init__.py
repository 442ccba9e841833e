"""Questions and corpora as other people write them: does any leg alone rank better than the order of the search?"""
