"""The one error that a user of the package can cause; the command line prints it as one line.

SPDX-License-Identifier: Apache-2.0
"""


class InputError(Exception):
    """What the user asked for cannot be done: a missing file, a file of another kind, an impossible option.

    The message names the file or option, what is wrong and, where it helps, what to do; it holds no line break.
    """
