"""`python tied_to_parent.py PARENT_ID COMMAND …`: a command that ends with its parent.

Even when `serve` is killed, it leaves nothing behind: Linux sends the child SIGTERM. A launcher,
since `preexec_fn` may deadlock in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tied_to_us(command: list[str]) -> list[str]:
    return [sys.executable, __file__, str(os.getpid()), *command]


def main() -> None:
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        sys.exit("the parent is gone already")
    os.execvp(command[0], command)  # noqa: S606 - the command is one that serve wrote


if __name__ == "__main__":
    main()
