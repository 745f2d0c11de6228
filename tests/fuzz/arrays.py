# SPDX-License-Identifier: Apache-2.0
"""Arrays as lists of numbers in row-major order, and the plain loops that the evaluator is made of."""
import itertools
import math
import typing


class Array(typing.NamedTuple):
    dtype: str
    shape: tuple
    data: list


def broadcast_shape(shapes):
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((extent for extent in extents if extent != 1), 1) for extents in zip(*padded))


def positions(shape):
    return itertools.product(*(range(extent) for extent in shape))


def strides_of(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def broadcast(array, shape):
    """-> the data of the array, repeated to a shape."""
    if array.shape == tuple(shape):
        return array.data
    padded = (1,) * (len(shape) - len(array.shape)) + array.shape
    strides = [0 if extent == 1 else stride for extent, stride in zip(padded, strides_of(padded))]
    offsets = [0]
    for extent, stride in zip(shape, strides):
        offsets = [offset + k * stride for offset in offsets for k in range(extent)]
    return [array.data[offset] for offset in offsets]


def gather(array, shape, index_of):
    """The array whose element at a position is the operand's at index_of(position); for None its last number."""
    strides = strides_of(array.shape)
    def element(index):
        return array.data[-1 if index is None else sum(i * s for i, s in zip(index, strides))]
    return Array(array.dtype, tuple(shape), [element(index_of(at)) for at in positions(shape)])


def groups(array, axes):
    """-> (shape with the axes kept as 1, the elements of each group of the axes, in row-major order)."""
    shape = tuple(1 if k in axes else extent for k, extent in enumerate(array.shape))
    result = [[] for _ in range(math.prod(shape))]
    strides = [0 if k in axes else stride for k, stride in enumerate(strides_of(shape))]
    for at, value in zip(positions(array.shape), array.data):
        result[sum(i * s for i, s in zip(at, strides))].append(value)
    return shape, result
