"""The collector: reports in, live answers out. No statistics here, and nobody's address.

A report's way, from the network to the disk:

- ``server`` (an address, uvicorn), ``connection`` (one sender), ``app`` (all routes).
- ``upload`` (the hot route), ``bodies`` (its three forms), ``limits``, ``receipts`` (what is told).
- ``writer``: group commit, in a thread of its own. ``warming`` compiles what it needs.

Stores, which the rest knows by ``store`` alone:

- ``opening`` finds one by its address; ``counting`` is what counting means in any of them.
- In tables: ``tables``, ``released_tables``, ``token_tables``, ``payloads``, ``migrations``.
- ``sqlite``, ``sqlite_database``, ``sqlite_memory``, ``sqlite_rows``; ``seen``, names in memory.
- ``postgres``, ``postgres_database``, ``postgres_counting``, ``postgres_names``.
- Copies: ``backup``, ``export``.

What routes share, and what time does:

- ``service`` (store, clock, collections), ``holding`` (which of them it can hold).
- ``queries``, ``problems``; ``metrics``, ``health``.
- ``clock`` closes windows and rounds; ``steady`` and ``doubts`` mistrust the machine's time.

Answers out, put together by ``routes``:

- ``standing``, ``results``, ``releases``, ``live``; ``pages`` serves what ``web/`` is built into.
- ``administration``, by the tokens of ``auth``.
- ``openapi``, from ``operations`` and ``schemas``.
"""
