"""A demonstration: the real collector on this machine, and simulated people who send to it.

``studies``: three questions, and the people who are asked.
``people``: what is true of them, and the reports that their devices send.
``running``: the collector on a store that is gone afterwards, and who sends to it.
"""
