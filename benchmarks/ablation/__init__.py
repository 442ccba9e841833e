"""What each part of the ranking is worth: `make ablation`."""

import os

# Before numpy is loaded: figures are made beside other work, and one core is enough for them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
