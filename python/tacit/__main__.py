"""Entry point of `python -m tacit`.

SPDX-License-Identifier: Apache-2.0
"""

import sys

from tacit.cli import main

sys.exit(main())
