"""How well definitions and references are found, against samples labelled by hand."""
