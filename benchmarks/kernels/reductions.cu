// SPDX-License-Identifier: Apache-2.0
// Reductions of the whole tensor, of its columns, and of its rows' results; alone or beside an
// element-wise output.

#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

template <class T> using number = tn::view<T>;
template <class T> using vector = tn::view<T, tn::dyn>;
template <class T> using matrix = tn::view<T, tn::dyn, tn::dyn>;

struct relu_add_mul {
  __device__ double operator()(double x, double y) const { return fmax((x + y) * 2, 0.0); }
};
struct identity {
  __device__ double operator()(double x) const { return x; }
};
struct square {
  __device__ double operator()(double x) const { return x * x; }
};
struct squared_difference {
  __device__ double operator()(double x, double y) const { return (x - y) * (x - y); }
};

void seed_sum_mean(bench::session& run, long long rows, long long columns, bench::timing how) {
  auto const f = tn::compile(
      [](auto x, auto y) { return tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>)); },
      "seed_sum_mean");
  long long const n = rows * columns;
  run.measure(
      bench::workload{
          "seed_sum_mean", bench::shape{rows, columns}, "f32",
          bench::arrays{bench::normal<float>(n), bench::normal<float>(n), bench::output<float>(1)},
          2 * n * 4, how},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<float const> x(b.get<float>(0), rows, columns), y(b.get<float>(1), rows, columns);
        number<float> out(b.get<float>(2));
        f.on(on).into(out)(x, y);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.sum<relu_add_mul>(0, nullptr, n, b.get<float>(0), b.get<float>(1));
        check.total(0, b.get<float>(2), 0, 1.0 / static_cast<double>(rows));
      });
}

template <class T>
__global__ void sumsq_axis0_reference(T const* x, T const* out, long long rows, long long columns,
                                      bench::error_sums* total) {
  bench::tally mine;
  for (long long column = blockIdx.x; column < columns; column += gridDim.x) {
    double sum = 0;
    for (long long row = threadIdx.x; row < rows; row += blockDim.x)
      sum += square()(bench::wide(x[row * columns + column]));
    sum = bench::block_sum(sum);
    if (threadIdx.x == 0) mine.add(out[column], sum);
  }
  mine.commit(total);
}

template <class T> void sumsq_axis0(bench::session& run, long long rows, long long columns) {
  auto const f = tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0>); }, "sumsq_axis0");
  long long const n = rows * columns;
  run.measure(
      bench::workload{"sumsq_axis0", bench::shape{rows, columns}, bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::output<T>(columns)},
                      n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns);
        vector<T> out(b.get<T>(1), columns);
        f.on(on).into(out)(x);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        sumsq_axis0_reference<<<bench::checker::blocks, bench::reference_threads, 0,
                                check.stream()>>>(b.get<T>(0), b.get<T>(1), rows, columns,
                                                  check.output(0));
        tn::check(cudaGetLastError(), "reference");
      });
}

template <class T> void sumsq_all(bench::session& run, long long n, bench::timing how) {
  auto const f = tn::compile([](auto x) { return tn::sum(x * x); }, "sumsq_all");
  run.measure(
      bench::workload{"sumsq_all", bench::shape{n}, bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::output<T>(1)},
                      n * static_cast<long long>(sizeof(T)), how},
      [&](bench::buffer_set const& b, tn::stream on) {
        vector<T const> x(b.get<T>(0), n);
        number<T> out(b.get<T>(1));
        f.on(on).into(out)(x);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.sum<square>(0, nullptr, n, b.get<T>(0));
        check.total(0, b.get<T>(1), 0, 1.0);
      });
}

void var_all(bench::session& run, long long n) {
  auto const f = tn::compile([](auto x) { return tn::var(x); }, "var_all");
  run.measure(
      bench::workload{"var_all", bench::shape{n}, "f32",
                      bench::arrays{bench::normal<float>(n), bench::output<float>(1)}, n * 4},
      [&](bench::buffer_set const& b, tn::stream on) {
        vector<float const> x(b.get<float>(0), n);
        number<float> out(b.get<float>(1));
        f.on(on).into(out)(x);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.sum<identity>(0, nullptr, n, b.get<float>(0));
        check.sum<square>(1, check.number(0), n, b.get<float>(0));
        check.total(0, b.get<float>(1), 1, 1.0 / static_cast<double>(n - 1));
      });
}

// The gradient's factor is an argument, 2 / n.
__global__ void mse_gradient_reference(float const* x, float const* y, float const* out,
                                       long long n, bench::error_sums* total) {
  bench::tally mine;
  for (long long i = bench::grid_thread(); i < n; i += bench::grid_threads())
    mine.add(out[i], 2.0 / static_cast<double>(n) * (bench::wide(x[i]) - bench::wide(y[i])));
  mine.commit(total);
}

void mse_value_grad(bench::session& run, long long n, bench::timing how) {
  auto const f = tn::compile(
      [](auto x, auto y, auto scale) {
        auto d = x - y;
        return tn::outputs(tn::mean(d * d), scale * d);
      },
      "mse_value_grad");
  float const scale = static_cast<float>(2.0 / static_cast<double>(n));
  run.measure(
      bench::workload{"mse_value_grad", bench::shape{n}, "f32",
                      bench::arrays{bench::normal<float>(n), bench::normal<float>(n),
                                    bench::output<float>(1), bench::output<float>(n)},
                      3 * n * 4, how},
      [&](bench::buffer_set const& b, tn::stream on) {
        vector<float const> x(b.get<float>(0), n), y(b.get<float>(1), n);
        number<float> loss(b.get<float>(2));
        vector<float> gradient(b.get<float>(3), n);
        f.on(on).into(loss, gradient)(x, y, scale);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.sum<squared_difference>(0, nullptr, n, b.get<float>(0), b.get<float>(1));
        check.total(0, b.get<float>(2), 0, 1.0 / static_cast<double>(n));
        mse_gradient_reference<<<bench::checker::blocks, bench::reference_threads, 0,
                                 check.stream()>>>(b.get<float>(0), b.get<float>(1),
                                                   b.get<float>(3), n, check.output(1));
        tn::check(cudaGetLastError(), "reference");
      });
}

}  // namespace

int main(int argc, char** argv) {
  using bench::timing;
  bench::session run(argc, argv);
  seed_sum_mean(run, 100, 100, timing::single);
  seed_sum_mean(run, 1000, 1000, timing::single);
  seed_sum_mean(run, 2000, 2000, timing::single);
  seed_sum_mean(run, 16384, 16384, timing::steady);
  sumsq_axis0<float>(run, 65536, 4096);
  sumsq_axis0<tn::bfloat16>(run, 65536, 4096);
  sumsq_axis0<float>(run, 1000000, 64);
  sumsq_axis0<tn::bfloat16>(run, 1000000, 64);
  sumsq_all<float>(run, 268435456, timing::steady);
  sumsq_all<tn::bfloat16>(run, 268435456, timing::steady);
  sumsq_all<float>(run, 1048576, timing::single);
  sumsq_all<tn::bfloat16>(run, 1048576, timing::single);
  var_all(run, 268435456);
  mse_value_grad(run, 4194304, timing::single);
  return run.exit_code();
}
