#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads PTX: which kernels may come to memory before they have waited for the kernels in front.

A kernel may begin while the kernels before it run (parts/dependent_launch.cuh): until it has waited they still write their
results, and the workspace is theirs. Every path through a kernel is followed, whether it can be taken or not, up to its first
griddepcontrol.wait. Prefetches change nothing that can be seen.
"""
import re
import sys

LABEL = re.compile(r"^([$\w%]+):\s*(.*)$")
BRANCH = re.compile(r"\bbra(?:\.uni)?\s+([$\w%]+)")
JUMP = re.compile(r"\bbrx\.idx(?:\.uni)?\s+[%\w]+,\s*([$\w]+)")
TARGETS = re.compile(r"([$\w]+):\s*\.branchtargets\s+([^;]+);")
END = re.compile(r"^(?:ret|exit|trap)\b")
CALL = re.compile(r"^(?:@!?%\w+\s+)?call\b")
ACCESS = re.compile(r"^(?:@!?%\w+\s+)?(?:ld|st|atom|red|tex|suld|sust|cp\.async|cp\.reduce)\.(\S+)")
# Copies lead from memory to shared memory, and their groups nowhere; what names no state space may be anywhere.
OWN = re.compile(r"(?:^|\.)(?:param|const|shared|local|wait_group|wait_all|commit_group|mbarrier|async)\b")


def is_access(text):
    """Whether a statement may read or write what other kernels do; of a function that is called nothing is known."""
    if CALL.match(text):
        return True
    found = ACCESS.match(text)
    return found is not None and "prefetch" not in found[1] and ("global" in found[1] or not OWN.search(found[1]))


def statements(body):
    """-> [(label or None, text)]; blocks of inline assembly are opened."""
    found = []
    for line in body.splitlines():
        for part in re.split(r"[{};]", line.split("//")[0]):
            part = part.strip()
            if label := LABEL.match(part):
                found.append((label[1], ""))
                part = label[2]
            if part:
                found.append((None, part))
    return found


def early_accesses(body):
    """-> the accesses of a kernel's body that may come before its first wait."""
    tables = {name: re.split(r",\s*", targets.strip()) for name, targets in TARGETS.findall(body)}
    all_of_them = statements(TARGETS.sub("", body))
    places = {label: k for k, (label, _) in enumerate(all_of_them) if label}
    seen, begins, faults = set(), [0], []
    while begins:
        at = begins.pop()
        while at < len(all_of_them) and at not in seen:
            seen.add(at)
            text = all_of_them[at][1]
            if text.startswith("griddepcontrol.wait") or END.match(text):
                break
            if is_access(text):
                faults.append(text)
            if found := JUMP.search(text):
                begins += [places[target] for target in tables[found[1]]]
                break
            if found := BRANCH.search(text):
                begins.append(places[found[1]])
                if not text.startswith("@"):
                    break
            at += 1
    return faults


def entries(ptx):
    """-> {mangled name: body} of the kernels"""
    found = {}
    for part in re.split(r"\.entry\s+", ptx)[1:]:
        begin = part.index("\n{")
        found[re.match(r"[\w$]+", part)[0]] = part[begin + 2:part.index("\n}", begin)]
    return found


def check(ptx, names):
    """-> list of faults; names: {mangled name: name}."""
    found = entries(ptx)
    if not found:
        return ["the PTX of no kernel is found"]
    return [
        f"{names.get(mangled, mangled)}: {len(early)} accesses before the kernels in front have ended, one of them: {early[0]}"
        for mangled, body in found.items() if (early := early_accesses(body))]


# What it finds, and what not; so that it cannot fall silent.
assert early_accesses("ld.global.u32 %r1, [%rd1];\ngriddepcontrol.wait;\nret;\n")
assert early_accesses("@%p1 bra $L;\ngriddepcontrol.wait;\n$L:\nst.global.u32 [%rd1], %r1;\nret;\n")
assert not early_accesses("griddepcontrol.wait;\nld.global.u32 %r1, [%rd1];\nret;\n")
assert not early_accesses("ld.param.u64 %rd1, [p];\nst.shared.u32 [%r2], %r1;\nret;\n")


if __name__ == "__main__":
    status = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for fault in check(file.read(), {}):
                print(f"{path}: {fault}")
                status = 1
    sys.exit(status)
