"""`python -m training` is `tarock`."""

from training.cli import main

main()
