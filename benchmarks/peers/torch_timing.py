# SPDX-License-Identifier: Apache-2.0
"""A callable that launches work -> microseconds per call, in the two ways of harness/timing.cuh."""
import ctypes
import statistics
import time
from dataclasses import dataclass

import torch

ROTATION_BYTES = 3 * 60_000_000
MOST_SETS = 512
FLUSH_BYTES = 256 << 20
HEAD_START_CYCLES = 200_000  # about 100 us: the host is ahead of the device when the timed work begins


@dataclass(frozen=True)
class Effort:
    steady_repetitions: int = 15
    single_repetitions: int = 40
    replay_us: float = 20e3
    warm_up_us: float = 200e3


QUICK = Effort(5, 10, 5e3, 20e3)


def set_count(bytes_of_set):
    return max(2, min(MOST_SETS, -(-ROTATION_BYTES // bytes_of_set)))


def summary(us):
    ordered = sorted(us)
    at = lambda fraction: ordered[int(fraction * (len(ordered) - 1) + 0.5)]
    return {"us": statistics.median(ordered), "us_p10": at(0.1), "us_p90": at(0.9)}


def elapsed_us(work):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3


def capture(work, **options):
    graph = torch.cuda.CUDAGraph(**options)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        work()
    return graph


def steady(call, sets, effort):
    """call(k) -> outputs. The outputs of the last `sets` calls stay alive, so that they rotate like the inputs."""
    kept = [None] * sets

    def calls(count):
        for k in range(count):
            kept[k % sets] = call(k)

    probes = min(sets, 4)
    estimate_us = elapsed_us(lambda: calls(probes)) / probes
    rounds = max(1, int(effort.replay_us / (estimate_us * sets)))
    count = sets * min(rounds, max(1, 1024 // sets))
    kept = [None] * sets
    graph = capture(lambda: calls(count))
    spent_us = 0.0
    while spent_us < effort.warm_up_us:
        spent_us += elapsed_us(graph.replay)
    return summary([elapsed_us(graph.replay) / count for _ in range(effort.steady_repetitions)])


def single(call, effort):
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    us = []
    for repetition in range(-5, effort.single_repetitions):
        torch.cuda._sleep(HEAD_START_CYCLES)
        flush.zero_()
        sample = elapsed_us(lambda: call(repetition + 5))
        if repetition >= 0:
            us.append(sample)
    return summary(us)


def host_latency(call, effort):
    """Host clock from the call to the finished kernel; everything stays in the caches."""
    us = []
    for repetition in range(-50, effort.single_repetitions * 10):
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        call(0)
        torch.cuda.synchronize()
        if repetition >= 0:
            us.append((time.perf_counter_ns() - begin) * 1e-3)
    return summary(us)


def kernel_count(call):
    """Kernel nodes of the captured graph of one call, counted as for Tenon."""
    graph = capture(lambda: call(0), keep_graph=True)
    handle = ctypes.c_void_p(graph.raw_cuda_graph())
    driver = ctypes.CDLL("libcuda.so.1")
    size = ctypes.c_size_t(0)
    if driver.cuGraphGetNodes(handle, None, ctypes.byref(size)):
        raise RuntimeError("cuGraphGetNodes failed")
    nodes = (ctypes.c_void_p * size.value)()
    if driver.cuGraphGetNodes(handle, nodes, ctypes.byref(size)):
        raise RuntimeError("cuGraphGetNodes failed")
    kind, kernels = ctypes.c_int(0), 0
    for node in nodes:
        if driver.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)):
            raise RuntimeError("cuGraphNodeGetType failed")
        kernels += kind.value == 0
    return kernels


def profiled_kernel_count(call):
    """The same number from the profiler, for a build without access to the captured graph."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call(0)
        torch.cuda.synchronize()
    device_events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    return sum(not e.name.startswith(("Memcpy", "Memset")) for e in device_events)


def launches(call):
    for count in (kernel_count, profiled_kernel_count):
        try:
            return count(call)
        except Exception as fault:  # a number that cannot be had is null, not a lost row
            print(f"launches: {count.__name__}: {fault}", flush=True)
    return None
