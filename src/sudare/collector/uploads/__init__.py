"""A report's way from the network to the store.

``upload``: the one hot route, ``POST /collections/{key}/reports``.
``bodies``: the body of a request, in one of three forms.
``writer``: group commit, in a thread of its own.
``receipts``: what the senders of reports are told.
``warming``: compiling what reports need before the first of them comes.
"""
