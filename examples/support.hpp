// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the examples share: data that is the same everywhere, comparison with a float64 reference, and the choice of the backend.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <tenon/tenon.hpp>

namespace example {

namespace tn = tenon;

template <class Space>
using matrix = tn::basic_tensor<Space, float, tn::dyn, tn::dyn>;

// n numbers between low and high; the same for one seed on every machine.
template <class T = float>
std::vector<T> random(std::int64_t n, std::uint64_t seed, double low = -1, double high = 1) {
  std::vector<T> values(static_cast<std::size_t>(n));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (T& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double unit = static_cast<double>(state >> 40) / (1 << 24);
    value = static_cast<T>(static_cast<float>(low + (high - low) * unit));
  }
  return values;
}

// Half an ulp of float next to 1: one rounding is at most this, relative to the value.
inline constexpr double rounding = 0x1p-24;

// Of a sum of n floats, relative to the sum of their magnitudes: the adding is a tree.
inline double sum_tolerance(double n) { return 2 * std::ceil(std::log2(n) + 1) * rounding; }

class checker {
 public:
  // tolerance: allowed |got - wanted|, relative to max(1, |wanted|), or to `scale` where the values are much smaller than 1.
  template <class T>
  void compare(char const* what, std::vector<T> const& got, std::vector<double> const& wanted, double tolerance, double scale = 1) {
    double worst = 0;
    bool is_right = got.size() == wanted.size();
    for (std::size_t k = 0; is_right && k < got.size(); ++k) {
      double error = std::abs(static_cast<double>(got[k]) - wanted[k]) / std::max(scale, std::abs(wanted[k]));
      if (!(error <= worst)) worst = error;  // NaN stays
    }
    is_right = is_right && worst <= tolerance;
    std::printf("  %-44s %9zu values, largest error %.1e of %.1e allowed: %s\n", what, got.size(), worst, tolerance, is_right ? "right" : "WRONG");
    all_right_ = all_right_ && is_right;
  }
  void require(char const* what, bool holds) {
    std::printf("  %-44s %s\n", what, holds ? "yes" : "NO");
    all_right_ = all_right_ && holds;
  }
  bool all_right() const { return all_right_; }

 private:
  bool all_right_ = true;
};

// Runs lesson(space, checker&) on the GPU when this program was compiled by nvcc and there is one, else on the CPU.
// The result is main's: 0 when everything was right.
template <class Lesson>
int run(char const* title, Lesson const& lesson) {
  checker check;
  auto run_on = [&](auto space) {
    std::printf("%s, on the %s backend\n", title, space.name);
    lesson(space, check);
  };
  try {
#if defined(__CUDACC__)
    if (tn::device_count() > 0)
      run_on(tn::cuda{});
    else
#endif
      run_on(tn::cpu{});
  } catch (std::exception const& e) {
    std::printf("  %s\n", e.what());
    return 1;
  }
  return check.all_right() ? 0 : 1;
}

}  // namespace example
