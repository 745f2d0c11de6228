// SPDX-License-Identifier: Apache-2.0
#pragma once
// A slice bound by Python's rules: length, start, stop and step -> first position, step and count.

#include <cstdint>
#include <limits>

namespace tenon::detail {

// A bound that was left out, as in Python's x[2:].
inline constexpr std::int64_t open_bound = std::numeric_limits<std::int64_t>::max();

struct axis_range {
  std::int64_t start, step, count;
  constexpr bool operator==(axis_range const&) const = default;
};

// Negative bounds count from the end; all are clamped.
// @pre step != 0
// @post 0 <= count; start + i * step is in [0, length) for 0 <= i < count; the step of fewer than
// two positions is 1, so that a step that nobody takes cannot overflow a stride
constexpr axis_range resolve_range(std::int64_t length, std::int64_t start, std::int64_t stop,
                                   std::int64_t step) {
  bool const is_backward = step < 0;
  std::int64_t const lowest = is_backward ? -1 : 0, highest = is_backward ? length - 1 : length;
  auto position = [&](std::int64_t bound, std::int64_t when_open) {
    if (bound == open_bound) return when_open;
    if (bound < 0) bound += length;
    return bound < lowest ? lowest : bound > highest ? highest : bound;
  };
  std::int64_t const first = position(start, is_backward ? highest : lowest);
  std::int64_t const last = position(stop, is_backward ? lowest : highest);
  std::int64_t const distance = is_backward ? first - last : last - first;
  if (distance <= 0) return {0, 1, 0};
  // (distance - 1) / |step|, where |step| may be 2^63
  std::int64_t const taken = is_backward ? -((distance - 1) / step) : (distance - 1) / step;
  return {first, taken == 0 ? 1 : step, taken + 1};
}

}  // namespace tenon::detail
