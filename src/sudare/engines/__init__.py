"""Where reports are added up: on one machine, or on many."""
