"""What can be cited: one folder per kind of source. Each answers how it is read and how it is cut."""
