"""The collector on the network: an address, and connections that must keep to its limits.

``server``: an address, and uvicorn as its server.
``connection``: one connection of a sender, with the limits that a public address needs.
``planner``: the planner's page by itself.
``tls_listener``: a socket whose connections count before they have shaken hands.
"""
