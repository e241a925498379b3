"""Benchmarks of the product, against peers where there are peers: run on demand, never part of the tests.

Absolute times depend on the machine, so wherever there is a peer the relevant figure is the ratio of the two in
the same run: rounds are interleaved (ours, theirs, ours, theirs), and the median of the rounds' ratios is reported.
"""
