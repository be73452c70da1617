"""The organisation's side: reports in, live answers out. No statistics, and nobody's address.

``service``: what all share: the store, the clock, the collections held.
``metrics``: what a collector counts about itself.
``hosted_page``: the survey page as a folder for another host.
``page_check``: whether a page that somebody serves is this version's.
``uploads``: a report's way from the network to the store.
``http``: requests and their answers: limits, and every other route.
``serving``: the server on the network, and its connections.
``stores``: what must not be lost, in one of several databases.
``clock``: what time closes, and how far the machine's clock is believed.
"""
