#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every message of include/ has its row in docs/errors.md, word for word, and every row is a message of include/.

A compile-time message is a string literal that begins with "tenon: "; a row holds it in backquotes. A run-time message is
made of an operation, a problem and a remedy; its rows name the operation in bold.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "include")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                yield os.path.relpath(path, ROOT), re.sub(r"(?m)^\s*//.*$", "", source.read())


def messages():
    """-> {text: file} of the compile-time messages; adjacent literals are one."""
    found = {}
    for path, text in sources():
        for literal in re.finditer(r'"tenon: (?:[^"\\\n]|\\.)+"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
            # What an asm statement quotes ends with the quote and the semicolon of the assembler.
            found["".join(STRING.findall(literal[0])).removesuffix('\\";')] = path
    return found


def operations():
    """-> {operation: file} of the run-time messages that give theirs as a literal."""
    found = {}
    for path, text in sources():
        for operation in re.findall(r'\.operation = "(\w+)"', text):
            found[operation] = path
        for operation in re.findall(r'raise_npy\("(\w+)"', text):
            found[operation] = path
    return found


def main():
    with open(os.path.join(ROOT, "docs", "errors.md"), encoding="utf-8") as document:
        lines = document.read().splitlines()
    rows = {found[1] for line in lines if (found := re.match(r"\| `(tenon: [^`]+)` \|", line))}
    raised = {found[1] for line in lines if (found := re.match(r"\| \*\*(\w+)\*\* \|", line))}
    known, at_run_time = messages(), operations()
    faults = [f'{path}: no row in docs/errors.md for "{text}"' for text, path in known.items() if text not in rows]
    faults += [f'docs/errors.md: no message in include/ reads "{text}"' for text in sorted(rows - known.keys())]
    faults += [f'{path}: no run-time row in docs/errors.md for the operation "{operation}"'
               for operation, path in at_run_time.items() if operation not in raised]
    print("\n".join(faults))
    print(f"{len(known)} messages, {len(at_run_time)} operations at run time, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
