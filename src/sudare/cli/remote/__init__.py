"""The commands of a collector elsewhere.

``group``: the command itself, and all commands below it.
``connecting``: which collector, and by which token, as options.
``login``: who one is there, and how the collector is.
``collections``: what a collector holds: listed, shown, added, changed, deleted.
``invitations``: invitations as links and QR codes.
``upload``: files of reports.
``results``: estimates, and the sums behind them.
``tokens``: tokens made, listed and revoked.
"""
