"""What a person's privacy has cost so far, and what may still be spent.

``ledger``: costs, their exact sum, and the caps on it.
``diary``: a device's ledger, and how far it has come in each collection.
``account``: a ledger in a file, charged before anything is spent.
``payment``: the charge before a total of two parties is opened.
"""
