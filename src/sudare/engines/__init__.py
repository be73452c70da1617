"""Files of reports into counts.

``local``: a sum over chunks, in the memory of one.
``spark``: the same on a cluster, of files or of a table's rows; reports drawn there too.
``spark_session``: Spark started or reached, for the command line.
"""
