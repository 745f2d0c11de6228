#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every ```cpp block of one Markdown document; errors name the document's own lines.

  ```cpp              a statement list: wrapped in a function, after the prelude; a block with `int main` stands alone
  ```cpp file-scope   declarations: after the prelude, not wrapped
  ```cpp no-compile   not compiled (a signature, a mistake shown on purpose)
The prelude is prelude.hpp beside this script.
"""
import os
import re
import subprocess
import sys
import tempfile

COMPILE_LIMIT_S = 120
HERE = os.path.dirname(os.path.abspath(__file__))


def read_blocks(path):
    """-> list of (first line number, set of marks, lines of code)."""
    blocks, current = [], None
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, start=1):
            fence = re.match(r"\s*```(\S*)\s*(.*)$", line)
            if current is None and fence and fence[1] == "cpp":
                current = (number + 1, set(fence[2].split()), [])
            elif current is None and fence and fence[1]:
                current = (0, {"no-compile"}, [])
            elif current is not None and fence and not fence[1]:
                blocks.append(current)
                current = None
            elif current is not None:
                current[2].append(line.rstrip("\n"))
    return [block for block in blocks if "no-compile" not in block[1]]


def source_of(path, block):
    """A block -> a translation unit: includes first, then the code, in a function unless it must not be."""
    first_line, marks, code = block
    name = os.path.basename(path)
    is_include = [re.match(r"\s*#\s*include", line) is not None for line in code]
    includes = [line for line, include in zip(code, is_include) if include]
    body = ["" if include else line for line, include in zip(code, is_include)]
    if any(re.search(r"\bint main\b", line) for line in code):
        return "\n".join(includes + [f'#line {first_line} "{name}"'] + body) + "\n"
    wrapped = "file-scope" not in marks
    parts = ['#include "prelude.hpp"'] + includes
    parts += (["void snippet() {"] if wrapped else []) + [f'#line {first_line} "{name}"'] + body
    return "\n".join(parts + (["}"] if wrapped else [])) + "\n"


def main():
    split = sys.argv.index("--")
    path, command = sys.argv[1], sys.argv[split + 1:] + [f"-I{HERE}"]
    blocks, failed = read_blocks(path), 0
    for block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "snippet.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(source_of(path, block))
            result = subprocess.run(command + [source], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    timeout=COMPILE_LIMIT_S, check=False)
        if result.returncode != 0:
            failed += 1
            print(f"{path}:{block[0]}: does not compile\n{result.stdout}")
    print(f"{os.path.basename(path)}: {len(blocks)} blocks compiled, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
