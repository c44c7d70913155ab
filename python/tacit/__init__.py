"""Pictures and checks of Tacit's results: `python -m tacit plot PATH`, `python -m tacit compare SNAPSHOT`.

SPDX-License-Identifier: Apache-2.0

Importing the package loads nothing heavy; numpy, h5py and matplotlib come with the modules that need them.
"""

__version__ = "0.1.0"
