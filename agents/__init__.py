"""Everything that plays: the Bot protocol, bots, exported bot files, and the arena. Needs neither torch nor Ray."""
