"""From an agreement to an opened noisy total.

``agreement``: the terms that both parties hold alike.
``candidates``: P1's proof, by cut and choose, that its tables are those agreed on.
``messages``: the six messages, each chained to those before it.
``parties``: P1 and P2 as state machines without I/O.
``connection``: TLS with both certificates, frames, time-outs; P2's end.
``peer_listener``: P1's end, which tells the other party from strangers.
``session``: a party run over a connection, and the file that lets a key open once.
``joint_count``: a count that devices encrypt to P1 and send to P2.
"""
