"""`tarock bench`: every speed figure of the project beside its goal and its reference (docs/performance.md)."""
