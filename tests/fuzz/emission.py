# SPDX-License-Identifier: Apache-2.0
"""A random program -> its C++ text, and its tensors as bytes under strides of every kind."""
from arrays import positions, strides_of
from cpp_types import CPP_TYPES
from dtypes import SIZES, encode

MARGIN = 64  # bytes on both sides of a tensor that nothing may read or write
ARRANGEMENTS = ["contiguous", "misaligned", "transposed", "stepped", "reversed", "padded"]


def strides_for(shape, arrangement):
    strides = strides_of([max(extent, 1) for extent in shape])
    if arrangement == "transposed":
        strides = strides_of([max(extent, 1) for extent in shape[::-1]])[::-1]
    elif arrangement == "stepped":
        strides = [2 * stride for stride in strides]
    elif arrangement == "reversed":
        strides = [-stride for stride in strides]
    elif arrangement == "padded" and len(shape) > 1:
        row = max(shape[-1], 1)
        strides = [stride // row * (row + 3) for stride in strides[:-1]] + [1]
    return strides


class Layout:
    """Where the elements of a tensor lie in its bytes."""

    def __init__(self, dtype, shape, arrangement):
        self.dtype, self.shape, self.strides = dtype, shape, strides_for(shape, arrangement)
        reach = [(extent - 1) * stride for extent, stride in zip(shape, self.strides) if extent > 1]
        size, low = SIZES[dtype], -sum(r for r in reach if r < 0)
        self.start = (MARGIN + low * size + 15) // 16 * 16 + (size if arrangement == "misaligned" else 0)
        self.bytes = self.start + sum(r for r in reach if r > 0) * size + size + MARGIN

    def offsets(self):
        size = SIZES[self.dtype]
        return [self.start + size * sum(i * s for i, s in zip(at, self.strides)) for at in positions(self.shape)]

    def image(self, data):
        size, raw, encoded = SIZES[self.dtype], bytearray(b"\xff" * self.bytes), encode(self.dtype, data)
        for k, offset in enumerate(self.offsets()):
            raw[offset:offset + size] = encoded[k * size:(k + 1) * size]
        return bytes(raw)

    def split(self, raw):
        """-> (the elements' bytes in row-major order, whether every other byte has kept its mark)."""
        size, rest, parts = SIZES[self.dtype], bytearray(raw), []
        for offset in self.offsets():
            parts.append(raw[offset:offset + size])
            rest[offset:offset + size] = b"\xcd" * size
        return b"".join(parts), rest == b"\xcd" * len(rest)


def type_text(dtype, extents):
    return ", ".join([CPP_TYPES[dtype], *("tn::dyn" if extent is None else str(extent) for extent in extents)])


def lambda_text(program, is_split):
    outputs = list(range(len(program.results)))
    parameters = ", ".join(f"auto x{k}" for k in range(len(program.inputs)))
    kind = "tensor" if program.are_tensors else "in"
    arguments = ", ".join(f"c.{kind}<{type_text(i.dtype, i.extents)}>({k})" for k, i in enumerate(program.inputs))
    text = f"// seed {program.seed}\nstatic programs::entry const entry_{program.number}({program.number}, [](programs::call const& c) {{\n"
    for chosen in [[k] for k in outputs] if is_split else [outputs]:
        values = ", ".join(program.results[k].text for k in chosen)
        text += f"  {{\n  constexpr auto f = tn::compile([]({parameters}) {{\n"
        text += "".join(f"    auto {name} = {value};\n" for name, value in program.lines)
        text += f"    return {f'tn::outputs({values})' if len(chosen) > 1 else values};\n  }});\n"
        text += call_text(program, chosen, arguments) + "  }\n"
    return text + "});\n"


def call_text(program, chosen, arguments):
    """The call, into views of the outputs or for tensors that it makes."""
    if not program.are_tensors:
        into = ", ".join(f"c.out<{type_text(program.results[k].dtype, [None] * len(program.results[k].shape))}>({k})" for k in chosen)
        return f"  f.into({into})({arguments});\n"
    made = [f"tn::get<{n}>(made)" for n in range(len(chosen))] if len(chosen) > 1 else ["made"]
    return f"  auto const made = f({arguments});\n" + "".join(f"  c.give({k}, {text});\n" for k, text in zip(chosen, made))
