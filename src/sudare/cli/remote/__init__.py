"""The commands of a collector elsewhere.

``group``: ``sudare remote``, and all commands below it.
``connecting``: which collector, and by which token, as options.
``login``: ``login``, ``logout`` and ``health``.
``collections``: what a collector holds: listed, shown, added, changed, deleted.
``invitations``: invitations as links and QR codes.
``upload``: files of reports.
``results``: estimates, and the sums behind them.
``tokens``: ``token``: tokens made, listed and revoked.
"""
