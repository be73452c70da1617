"""Requests and their answers: limits, and every route but that of reports.

``app``: the service as one ASGI application.
``routes``: every route but the hot one, put together.
``limits``: how much is taken at once.
``origins``: pages of other hosts that may ask what a device asks.
``addresses``: where a request comes from.
``problems``: one shape for every error.
``queries``: the query and the body of a request, read strictly.
``auth``: tokens of roles, and patience with wrong ones.
``preparation``: which collection to make, and what it would be.
``administration``: what administrators and analysts may change.
``tokens``: whose token it is, and tokens made and revoked.
``standing``: collections as they stand, for those who may see it.
``releases``: the sums that may be shown.
``results``: estimates of these sums.
``turns``: fair turns at what takes long.
``live``: both as they change, as server-sent events.
``pages``: the dashboard and the survey page.
``health``: whether the store would commit, and metrics.
``openapi``: the whole interface as an OpenAPI document.
"""
