# SPDX-License-Identifier: Apache-2.0
"""Callables that launch work -> microseconds per call, taken in turns.

Steady: a CUDA graph of many calls over sets of buffers that together are three times the L2 cache, replayed between two
events. Single: one call between two events after the L2 cache was filled with other data, while the device is kept busy
long enough for the host to be ahead.
"""
import ctypes
import statistics
import time
from dataclasses import dataclass

import torch

MOST_SETS = 512
MOST_CALLS = 1024  # of one graph
FLUSH_BYTES = 256 << 20
HEAD_START_CYCLES = 600_000  # about 300 us
PLACES = 11  # in the driver's command buffer, for each single call another one


@dataclass(frozen=True)
class Effort:
    rounds: int = 5           # every contender takes its turn in each
    steady_samples: int = 3   # of one turn
    single_samples: int = 8
    replay_us: float = 8e3    # of one graph
    warm_up_us: float = 50e3  # of a row, until clocks settle


QUICK = Effort(rounds=2, replay_us=3e3, warm_up_us=10e3)


def set_count(bytes_of_set):
    """Sets of buffers that push each other out of the L2 cache."""
    rotation_bytes = 3 * torch.cuda.get_device_properties().L2_cache_size
    return max(2, min(MOST_SETS, -(-rotation_bytes // max(1, bytes_of_set))))


def summary(us):
    ordered = sorted(us)

    def at(fraction):
        return ordered[int(fraction * (len(ordered) - 1) + 0.5)]
    return {"us": statistics.median(ordered), "us_p10": at(0.1), "us_p90": at(0.9)}


def elapsed_us(work):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3


def capture(work, **options):
    """What `work` launches on the current stream, as a graph. @pre the current stream is not the default one"""
    graph = torch.cuda.CUDAGraph(**options)
    torch.cuda.synchronize()
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        work()
    finally:
        graph.capture_end()
    return graph


class Steady:
    """call(k) makes call number k and returns what must stay alive: the outputs of as many calls as there are sets are
    kept, so that outputs rotate like inputs."""

    def __init__(self, call, sets, effort, is_capturable=True):
        self._call, self._kept = call, [None] * sets
        probes = min(sets, 4)
        estimate_us = elapsed_us(lambda: self._make(probes)) / probes
        rounds = max(1, int(effort.replay_us / (estimate_us * sets)))
        self.calls = sets * min(rounds, max(1, MOST_CALLS // sets))
        self._kept = [None] * sets
        self._graph = capture(lambda: self._make(self.calls)) if is_capturable else None
        self._samples = effort.steady_samples

    def _make(self, count):
        for k in range(count):
            self._kept[k % len(self._kept)] = self._call(k)

    def output(self, k):
        """What call k of one more replay gives."""
        self.replay()
        return self._kept[k % len(self._kept)]

    def replay(self):
        if self._graph:
            self._graph.replay()
        else:
            self._make(self.calls)

    def samples(self):
        self.replay()
        return [elapsed_us(self.replay) / self.calls for _ in range(self._samples)]


class Single:
    """One call at a time. A launch with more than 128 bytes of parameters takes 0.85 us longer at some places of the
    driver's command buffer, one in four to eight, and a loop comes to the same place again and again (H200, an empty kernel
    with 256 to 4000 bytes: 3.0 or 3.8 us). So each sample begins behind another number of launches, and the median is
    that of the usual place."""

    def __init__(self, call, sets, effort, flush):
        self._call, self._kept, self._next, self._flush = call, [None] * sets, 0, flush
        self._samples = effort.single_samples

    def output(self, k):
        """What call k gives once more."""
        return self._call(k)

    def replay(self):
        k, self._next = self._next, self._next + 1
        self._kept[k % len(self._kept)] = self._call(k)

    def samples(self):
        us = []
        for _ in range(-1, self._samples):  # the first warms up
            for _ in range(self._next % PLACES):
                self._flush[:64].zero_()
            torch.cuda._sleep(HEAD_START_CYCLES)
            self._flush.zero_()
            self._flush.view(torch.int32).amax()  # clean lines: what the flush wrote is not the call's to write back
            us.append(elapsed_us(self.replay))
        return us[1:]


def flush_buffer():
    return torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")


def in_turns(contenders, effort):
    """{name: Steady or Single} -> {name: summary}."""
    spent_us = 0.0
    while spent_us < effort.warm_up_us:
        spent_us += max(1.0, sum(elapsed_us(contender.replay) for contender in contenders.values()))
    us = {name: [] for name in contenders}
    for _ in range(effort.rounds):
        for name, contender in contenders.items():
            us[name] += contender.samples()
    return {name: summary(samples) for name, samples in us.items()}


def host_latency(call, repetitions):
    """Host clock from the call to the finished kernel; everything stays in the caches."""
    us = []
    for repetition in range(-50, repetitions):
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        call()
        torch.cuda.synchronize()
        if repetition >= 0:
            us.append((time.perf_counter_ns() - begin) * 1e-3)
    return summary(us)


def kernel_count(call):
    """Kernel nodes of the captured graph of one call."""
    graph = capture(call, keep_graph=True)
    handle = ctypes.c_void_p(graph.raw_cuda_graph())
    driver = ctypes.CDLL("libcuda.so.1")

    def check(status):
        if status:
            raise RuntimeError(f"the driver refused to list the graph's nodes ({status})")
    size = ctypes.c_size_t(0)
    check(driver.cuGraphGetNodes(handle, None, ctypes.byref(size)))
    nodes = (ctypes.c_void_p * size.value)()
    check(driver.cuGraphGetNodes(handle, nodes, ctypes.byref(size)))
    kind, kernels = ctypes.c_int(0), 0
    for node in nodes:
        check(driver.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)))
        kernels += kind.value == 0
    return kernels


def profiled_kernel_count(call):
    """The same number from the profiler, for what a graph cannot hold."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    device_events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    return sum(not e.name.startswith(("Memcpy", "Memset")) for e in device_events)
