# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender: eager, and torch.compile in each of the given modes."""
import torch
import torch._inductor.config

MODES = ("default", "max-autotune-no-cudagraphs")


def configure():
    # What a process beside others measured on a busy device is not taken over; only what it compiled is.
    torch._inductor.config.autotune_local_cache = False


def compiled(function, mode):
    torch._dynamo.reset()
    return torch.compile(function, mode=None if mode == "default" else mode, dynamic=False, fullgraph=True)


def contenders(workload, modes):
    """-> {name: function of the inputs, made when it is asked for}; a mode of torch.compile is named after it."""
    found = {"torch_eager": lambda: workload.function}
    for mode in modes:
        found[f"torch_compile {mode}"] = lambda mode=mode: compiled(workload.function, mode)
    return found


def versions():
    import triton
    return {"torch": torch.__version__, "triton": triton.__version__, "cuda_of_torch": torch.version.cuda}
