"""Additively homomorphic encryption.

``interface``: what the parties need of a cipher, and the ciphers by name.
``elgamal``: ElGamal on ristretto255, by libsodium.
``bit_proof``: a proof that an ElGamal ciphertext holds 0 or 1.
``opening_proof``: a proof that an ElGamal ciphertext opens to a value.
``lattice``: the BFV scheme of Microsoft SEAL, one coefficient at a time.
``polynomials``: SEAL's polynomials as arrays.
"""
