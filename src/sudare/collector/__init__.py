"""The collector: reports in, live answers out. No statistics here, and nobody's address."""
