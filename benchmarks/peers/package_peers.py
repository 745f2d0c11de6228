# SPDX-License-Identifier: Apache-2.0
"""Kernels of other Python packages, QuACK and Liger, where they can be imported."""
import importlib
import importlib.metadata


def _quack(name):
    return importlib.import_module(f"quack.{name}")


def _liger(name):
    return importlib.import_module(f"liger_kernel.ops.{name}")


def _quack_kernels():
    softmax, rmsnorm, cross_entropy = _quack("softmax"), _quack("rmsnorm"), _quack("cross_entropy")
    return {
        "softmax": softmax.softmax,
        "rmsnorm": lambda x, w: rmsnorm.rmsnorm(x, w, eps=1e-6),
        "cross_entropy_mean": lambda x, labels: cross_entropy.cross_entropy(x, labels).mean(),
    }


def _liger_kernels():
    softmax, rms_norm, layer_norm = _liger("softmax"), _liger("rms_norm"), _liger("layer_norm")
    return {
        "softmax": softmax.LigerSoftmaxFunction.apply,
        "rmsnorm": lambda x, w: rms_norm.LigerRMSNormFunction.apply(x, w, 1e-6),
        "layer_norm": lambda x, w, b: layer_norm.LigerLayerNormFunction.apply(x, w, b, 1e-5),
    }


def find():
    """-> ({workload: {provider: function}}, {provider: version, or why it is absent})."""
    kernels, versions = {}, {}
    for provider, package, make in (("quack", "quack-kernels", _quack_kernels), ("liger", "liger-kernel", _liger_kernels)):
        try:
            versions[provider] = importlib.metadata.version(package)
            for workload, function in make().items():
                kernels.setdefault(workload, {})[provider] = function
        except Exception as fault:  # a package may fail to import in its own ways
            versions[provider] = f"absent: {type(fault).__name__}: {fault}"
    return kernels, versions
