"""The rule bot's kernels: what a seat can tell from its view, bids, exchange, announcements and play."""
