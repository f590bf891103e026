"""Training on RLlib: batched self-play sampling, the learner's loss, pool, checkpoints, metrics and export."""
