# SPDX-License-Identifier: Apache-2.0
"""A block that may take only so long."""
import signal


class TimeLimit(Exception):
    pass


class limit:
    """Raises TimeLimit in the block after `seconds`."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        def stop(_signal, _frame):
            raise TimeLimit(f"time limit of {self.seconds} s")
        self.previous = signal.signal(signal.SIGALRM, stop)
        signal.alarm(self.seconds)

    def __exit__(self, *_):
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self.previous)
