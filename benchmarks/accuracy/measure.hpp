// SPDX-License-Identifier: Apache-2.0
#pragma once
// measure<Function, T>(): the function at every value of T through a compiled expression, against its exact value.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "function.hpp"

namespace accuracy {

struct row {
  std::string_view function;
  tn::dtype type;
  double max_ulp = 0;            // from the exact value
  double from_nearest_ulp = 0;   // from the correctly rounded one
  std::uint32_t worst_bits = 0;  // the input of max_ulp
  double inputs = 0, not_nearest = 0;
  double class_faults = 0;  // NaN where a number is exact, or the reverse
  double bound_ulp = 0, cuda_ulp = 0;
  bool is_within() const {
    return class_faults == 0 && max_ulp <= bound_ulp && (cuda_ulp == 0 || from_nearest_ulp <= cuda_ulp);
  }
};

struct options {
  std::uint32_t step = 1;  // of the values of f32 every so many-th
};

// Binary formats by their numbers: 2^(max_exponent + 1) is the first number that is none. An error of an exact
// value below `flushed` counts in units of that: the cheaper forms that some functions have for bfloat16 flush intermediates.
template <class T>
struct format;
template <>
struct format<float> {
  static constexpr int mantissa_bits = 23, min_exponent = -126, max_exponent = 127;
  static constexpr double flushed = 0;
  using bits = std::uint32_t;
};
template <>
struct format<tn::half> {
  static constexpr int mantissa_bits = 10, min_exponent = -14, max_exponent = 15;
  static constexpr double flushed = 0;
  using bits = std::uint16_t;
};
template <>
struct format<tn::bfloat16> {
  static constexpr int mantissa_bits = 7, min_exponent = -126, max_exponent = 127;
  static constexpr double flushed = 0x1p-118;
  using bits = std::uint16_t;
};

TENON_HD inline double power_of_two(int exponent) {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}
// @pre x is finite and not 0; subnormal doubles count as 2^-1022.
TENON_HD inline int exponent_of(double x) {
  int const field = static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52 & 0x7ff);
  return field == 0 ? -1022 : field - 1023;
}

struct element_error {
  double ulp, from_nearest_ulp;
  bool is_nearest, is_class_fault;
};
// An infinite result counts as the first power of two that the format does not have, and so does what is beyond it.
template <class T>
TENON_HD element_error compare(double result, double exact) {
  using f = format<T>;
  bool const nans = result != result || exact != exact;
  if (nans) return {0, 0, true, (result != result) != (exact != exact)};
  double const beyond = power_of_two(f::max_exponent + 1);
  auto limited = [&](double x) { return x > beyond ? beyond : x < -beyond ? -beyond : x; };
  double const r = limited(result), e = limited(exact);
  int exponent = e == 0 ? f::min_exponent : exponent_of(e);
  exponent = exponent < f::min_exponent ? f::min_exponent : exponent > f::max_exponent ? f::max_exponent : exponent;
  double const last_place = power_of_two(exponent - f::mantissa_bits), nearest = ::rint(e / last_place) * last_place;
  double const unit = ::fabs(e) < f::flushed ? f::flushed : last_place;
  return {::fabs(r - e) / unit, ::fabs(r - nearest) / unit, r == nearest, false};
}

// The values of T from bit pattern `first` on, every `step`-th.
// As bits: g++ 12 does not survive the vectorised loop that writes tn::half.
template <class T>
struct fill {
  typename format<T>::bits* out;
  std::uint64_t first, step;
  TENON_HD void operator()(std::int64_t i) const {
    out[i] = static_cast<typename format<T>::bits>(first + static_cast<std::uint64_t>(i) * step);
  }
};

// A float's bits in the upper half, so that the greatest error wins, with its input in the lower.
struct totals {
  unsigned long long worst = 0, not_nearest = 0, class_faults = 0;
  unsigned from_nearest = 0;
};
TENON_HD inline unsigned ordered_bits(double error) {
  return __builtin_bit_cast(unsigned, static_cast<float>(error));
}
TENON_HD inline void keep_greater(auto& kept, auto value) { kept = kept < value ? value : kept; }
template <class Function, class T>
struct judge {
  T const* inputs;
  T const* results;
  TENON_HD void operator()(std::int64_t i, totals& sum) const {
    double const x = static_cast<double>(static_cast<float>(inputs[i]));
    element_error const error = compare<T>(static_cast<double>(static_cast<float>(results[i])), Function::exact(x));
    auto const bits = static_cast<unsigned long long>(__builtin_bit_cast(typename format<T>::bits, inputs[i]));
    keep_greater(sum.worst, static_cast<unsigned long long>(ordered_bits(error.ulp)) << 32 | bits);
    keep_greater(sum.from_nearest, ordered_bits(error.from_nearest_ulp));
    sum.not_nearest += !error.is_nearest;
    sum.class_faults += error.is_class_fault;
  }
};

#if defined(__CUDACC__)
template <class Action>
__global__ void run_each(Action action, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < count; i += std::int64_t(gridDim.x) * blockDim.x)
    action(i);
}
template <class Action>
__global__ void run_sum(Action action, std::int64_t count, totals* sum) {
  totals mine;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < count; i += std::int64_t(gridDim.x) * blockDim.x)
    action(i, mine);
  atomicMax(&sum->worst, mine.worst);
  atomicMax(&sum->from_nearest, mine.from_nearest);
  atomicAdd(&sum->not_nearest, mine.not_nearest);
  atomicAdd(&sum->class_faults, mine.class_faults);
}
template <class Action>
void for_each(Action const& action, std::int64_t count) {
  run_each<<<1024, 256>>>(action, count);
  tn::check(cudaGetLastError(), "accuracy");
}
template <class Action>
void add_to(totals& sum, Action const& action, std::int64_t count) {
  tn::memory<tn::cuda> device(sizeof sum, {});
  tn::space_traits<tn::cuda>::write(device.data(), &sum, sizeof sum, {});
  run_sum<<<1024, 256>>>(action, count, static_cast<totals*>(device.data()));
  tn::check(cudaGetLastError(), "accuracy");
  tn::space_traits<tn::cuda>::read(&sum, device.data(), sizeof sum, {});
}
#else
template <class Action>
void for_each(Action const& action, std::int64_t count) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) action(i);
}
template <class Action>
void add_to(totals& sum, Action const& action, std::int64_t count) {
#pragma omp parallel
  {
    totals mine;
#pragma omp for
    for (std::int64_t i = 0; i < count; ++i) action(i, mine);
#pragma omp critical
    {
      keep_greater(sum.worst, mine.worst);
      keep_greater(sum.from_nearest, mine.from_nearest);
      sum.not_nearest += mine.not_nearest;
      sum.class_faults += mine.class_faults;
    }
  }
}
#endif

template <class Function, class T>
row measure(options const& how) {
  constexpr auto f = tn::compile(Function{}, "accuracy");
  std::uint64_t const step = sizeof(T) == 4 ? how.step : 1;
  std::uint64_t const values = ((std::uint64_t{1} << 8 * sizeof(T)) - 1) / step + 1, chunk = std::uint64_t{1} << 26;
  std::int64_t const capacity = static_cast<std::int64_t>(values < chunk ? values : chunk);
  tn::tensor<T, tn::dyn> inputs(capacity), results(capacity);
  totals sum;
  for (std::uint64_t first = 0; first < values; first += chunk) {
    std::int64_t const count = static_cast<std::int64_t>(values - first < chunk ? values - first : chunk);
    for_each(fill<T>{reinterpret_cast<typename format<T>::bits*>(inputs.data()), first * step, step}, count);
    f.into(tn::view<T, tn::dyn>(results.data(), count))(tn::view<T const, tn::dyn>(inputs.data(), count));
    add_to(sum, judge<Function, T>{inputs.data(), results.data()}, count);
  }
  row result{Function::name, tn::dtype_of<T>};
  result.max_ulp = __builtin_bit_cast(float, static_cast<unsigned>(sum.worst >> 32));
  result.from_nearest_ulp = __builtin_bit_cast(float, sum.from_nearest);
  result.worst_bits = static_cast<std::uint32_t>(sum.worst);
  result.inputs = static_cast<double>(values);
  result.not_nearest = static_cast<double>(sum.not_nearest);
  result.class_faults = static_cast<double>(sum.class_faults);
  result.bound_ulp = sizeof(T) == 4 ? Function::bound_ulp : Function::half_bound_ulp;
  result.cuda_ulp = sizeof(T) == 4 ? Function::cuda_ulp : 0;
  return result;
}

// The functions of one source file, which puts an object of this type at namespace scope.
struct group {
  explicit group(void (*run)(options const&, std::vector<row>&)) : run(run), next(first) { first = this; }
  void (*run)(options const&, std::vector<row>&);
  group const* next;
  inline static group const* first = nullptr;
};
template <class... Functions>
void measure_all(options const& how, std::vector<row>& rows) {
  ((rows.push_back(measure<Functions, float>(how)), rows.push_back(measure<Functions, tn::half>(how)),
    rows.push_back(measure<Functions, tn::bfloat16>(how))),
   ...);
}

}  // namespace accuracy
