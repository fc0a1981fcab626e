"""`python -m ackclock` is the command `ackclock`."""

import sys

from ackclock.cli import main

sys.exit(main())
