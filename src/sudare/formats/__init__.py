"""How things are written: bytes, files, documents, tables.

``collector_api``: the version of a collector's interface, and the shapes of its answers.
``documents``: JSON documents, read strictly and written in one way.
``encryption``: files that only a passphrase opens.
``files``: files that are there whole or not at all, or that have one holder.
``numbers``: numbers as arguments: whole ones, and any repeated as it was given.
``report_ids``: the ids by which reports count once.
``seals``: documents that end with a digest of what they say.
``strangers``: texts of strangers, made visible before anybody is shown them.
``tables``: rows of results as CSV and Parquet.
``wire``: reports as bytes, as Arrow, and as files.
"""
