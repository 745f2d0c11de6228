// SPDX-License-Identifier: Apache-2.0
// The CPU backend at the seed expressions, beside a copy by all threads in the same run.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

using vector = tn::cpu::tensor<float, tn::dyn>;
using matrix = tn::cpu::tensor<float, tn::dyn, tn::dyn>;

struct measurement {
  double median_us, p10_us, p90_us;
};

template <class Work> measurement time_calls(Work const& work, int repetitions) {
  std::vector<double> us;
  for (int k = -3; k < repetitions; ++k) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    double const elapsed =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (k >= 0) us.push_back(elapsed);
  }
  std::sort(us.begin(), us.end());
  auto at = [&](double fraction) {
    return us[static_cast<std::size_t>(fraction * static_cast<double>(us.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

// The same numbers in every run, about normally distributed.
void fill(matrix& x, unsigned state) {
  for (std::int64_t i = 0; i < x.size(); ++i) {
    float sum = 0;
    for (int k = 0; k < 4; ++k)
      state = state * 1664525u + 1013904223u, sum += static_cast<float>(state >> 8) * 0x1p-24f;
    x.data()[i] = (sum - 2.0f) * 1.7320508f;
  }
}

class report {
 public:
  report(std::int64_t n, int repetitions) : n_(n), repetitions_(repetitions) {}

  // The faster of the C library's and one past the caches.
  void measure_copy(matrix const& x, matrix& out) const {
    auto const elapsed_us = [&](auto const& copy_block) {
      constexpr std::int64_t most = 1 << 16;
      auto const copy_all = [&] {
#pragma omp parallel
        {
#pragma omp for schedule(static) nowait
          for (std::int64_t block = 0; block < n_; block += most)
            copy_block(x.data() + block, out.data() + block, std::min(most, n_ - block));
          tn::cpu_backend::finish_streamed_stores();
        }
      };
      return time_calls(copy_all, repetitions_).median_us;
    };
    double const us =
        std::min(elapsed_us([](float const* from, float* to, std::int64_t count) {
                   std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof *to);
                 }),
                 elapsed_us([](float const* from, float* to, std::int64_t count) {
                   tn::cpu_backend::store_streamed(from, to, static_cast<int>(count));
                 }));
    std::printf(
        "{\"header\": {\"compiler\": \"%s\", \"threads\": %u}}\n{\"ceilings\": {\"copy_gbs\": "
        "%.6g}}\n",
        __VERSION__, std::thread::hardware_concurrency(), static_cast<double>(n_) * 8 / us * 1e-3);
  }

  template <class Work>
  void measure(char const* workload, matrix const& x, int arrays_moved, Work const& work) const {
    measurement const time = time_calls(work, repetitions_);
    double const gbs = static_cast<double>(n_) * 4 * arrays_moved / time.median_us * 1e-3;
    std::printf(
        "{\"workload\": \"%s\", \"shape\": [%lld, %lld], \"dtype\": \"f32\", \"provider\": "
        "\"tenon\", \"us\": %.6g, \"us_p10\": %.6g, \"us_p90\": %.6g, \"gbs\": %.6g, \"timing\": "
        "\"call after call\"}\n",
        workload, static_cast<long long>(x.extent(0)), static_cast<long long>(x.extent(1)),
        time.median_us, time.p10_us, time.p90_us, gbs);
  }

 private:
  std::int64_t n_;
  int repetitions_;
};

}  // namespace

// Usage: bench_cpu_seed_expressions [rows] [columns]
int main(int argc, char** argv) {
  std::int64_t const rows = argc > 1 ? std::atoll(argv[1]) : 8192,
                     columns = argc > 2 ? std::atoll(argv[2]) : 4096;
  if (rows <= 0 || columns <= 0) {
    std::fprintf(stderr, "usage: %s [rows] [columns]\n", argv[0]);
    return 2;
  }
  matrix x(rows, columns), y(rows, columns), out(rows, columns);
  vector w(columns), b(columns);
  tn::cpu::tensor<float> number;
  fill(x, 1), fill(y, 2), fill(out, 3);
  std::copy_n(x.data(), columns, w.data());
  std::copy_n(y.data(), columns, b.data());

  report run(rows * columns, 11);
  run.measure_copy(x, out);
  auto const relu_add_mul =
      tn::compile([](auto p, auto q) { return tn::relu((p + q) * 2.0f); }, "relu_add_mul");
  run.measure("relu_add_mul", x, 3, [&] { relu_add_mul.into(out)(x, y); });
  auto const sum_mean = tn::compile(
      [](auto p, auto q) { return tn::mean(tn::sum(tn::relu((p + q) * 2.0f), tn::axis<1>)); },
      "seed_sum_mean");
  run.measure("seed_sum_mean", x, 2, [&] { sum_mean.into(number)(x, y); });
  auto const layer_norm = tn::compile(
      [](auto p, auto weight, auto bias) {
        return tn::gelu(tn::layer_norm(p, weight, bias, tn::axis<-1>)) * 1.2f + 0.1f;
      },
      "seed_layernorm_gelu");
  run.measure("seed_layernorm_gelu", x, 2, [&] { layer_norm.into(out)(x, w, b); });
  auto const softmax = tn::compile([](auto p) { return tn::softmax(p, tn::axis<-1>); }, "softmax");
  run.measure("softmax", x, 2, [&] { softmax.into(out)(x); });
  auto const sin_plus_cos =
      tn::compile([](auto p) { return tn::sin(p) + tn::cos(p); }, "sin_plus_cos");
  run.measure("sin_plus_cos", x, 2, [&] { sin_plus_cos.into(out)(x); });
  return 0;
}
