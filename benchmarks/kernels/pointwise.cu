// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions: every element on its own, with one or several inputs and outputs,
// row-major or transposed.

#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

template <class T> using vector = tn::view<T, tn::dyn>;
template <class T> using matrix = tn::view<T, tn::dyn, tn::dyn>;

struct relu_add_mul_reference {
  __device__ double operator()(double x, double y) const { return fmax((x + y) * 2, 0.0); }
};

template <class T> void relu_add_mul(bench::session& run, long long rows, long long columns) {
  auto const f =
      tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "relu_add_mul");
  long long const n = rows * columns;
  run.measure(
      bench::workload{"relu_add_mul", bench::shape{rows, columns}, bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::normal<T>(n), bench::output<T>(n)},
                      3 * n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns), y(b.get<T>(1), rows, columns);
        matrix<T> out(b.get<T>(2), rows, columns);
        f.on(on).into(out)(x, y);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.elements<relu_add_mul_reference>(0, b.get<T>(2), n, b.get<T>(0), b.get<T>(1));
      });
}

struct sin_plus_cos_reference {
  __device__ double operator()(double x) const { return sin(x) + cos(x); }
};

template <class T> void sin_plus_cos(bench::session& run, long long rows, long long columns) {
  auto const f = tn::compile([](auto x) { return tn::sin(x) + tn::cos(x); }, "sin_plus_cos");
  long long const n = rows * columns;
  run.measure(
      bench::workload{"sin_plus_cos", bench::shape{rows, columns}, bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::output<T>(n)},
                      2 * n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns);
        matrix<T> out(b.get<T>(1), rows, columns);
        f.on(on).into(out)(x);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        check.elements<sin_plus_cos_reference>(0, b.get<T>(1), n, b.get<T>(0));
      });
}

template <class T>
__global__ void tanh_add_transposed_reference(T const* x, T const* y, T const* out, long long rows,
                                              long long columns, bench::error_sums* total) {
  bench::tally mine;
  for (long long i = bench::grid_thread(); i < rows * columns; i += bench::grid_threads())
    mine.add(out[i], tanh(bench::wide(x[i]) + bench::wide(y[i % columns * rows + i / columns])));
  mine.commit(total);
}

template <class T>
void tanh_add_transposed(bench::session& run, long long rows, long long columns) {
  auto const f = tn::compile([](auto x, auto y) { return tn::tanh(x + tn::transpose(y)); },
                             "tanh_add_transposed");
  long long const n = rows * columns;
  run.measure(
      bench::workload{"tanh_add_transposed", bench::shape{rows, columns}, bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::normal<T>(n), bench::output<T>(n)},
                      3 * n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns), y(b.get<T>(1), columns, rows);
        matrix<T> out(b.get<T>(2), rows, columns);
        f.on(on).into(out)(x, y);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        tanh_add_transposed_reference<<<bench::checker::blocks, bench::reference_threads, 0,
                                        check.stream()>>>(b.get<T>(0), b.get<T>(1), b.get<T>(2),
                                                          rows, columns, check.output(0));
        tn::check(cudaGetLastError(), "reference");
      });
}

struct adam_m {
  __device__ double operator()(double g, double m) const { return 0.9 * m + 0.1 * g; }
};
struct adam_v {
  __device__ double operator()(double g, double v) const { return 0.999 * v + 0.001 * g * g; }
};
struct adam_p {
  __device__ double operator()(double p, double g, double m, double v) const {
    return p - 1e-3 * adam_m()(g, m) / (sqrt(adam_v()(g, v)) + 1e-8);
  }
};

void adam(bench::session& run, long long n) {
  auto const f = tn::compile(
      [](auto p, auto g, auto m, auto v) {
        auto new_m = 0.9f * m + 0.1f * g;
        auto new_v = 0.999f * v + 0.001f * g * g;
        return tn::outputs(p - 1e-3f * new_m / (tn::sqrt(new_v) + 1e-8f), new_m, new_v);
      },
      "adam");
  bench::array_spec const in = bench::magnitude<float>(n), out = bench::output<float>(n);
  run.measure(
      bench::workload{"adam", bench::shape{n}, "f32", bench::arrays{in, in, in, in, out, out, out},
                      7 * n * 4},
      [&](bench::buffer_set const& b, tn::stream on) {
        vector<float const> p(b.get<float>(0), n), g(b.get<float>(1), n), m(b.get<float>(2), n),
            v(b.get<float>(3), n);
        vector<float> new_p(b.get<float>(4), n), new_m(b.get<float>(5), n),
            new_v(b.get<float>(6), n);
        f.on(on).into(new_p, new_m, new_v)(p, g, m, v);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        float const *p = b.get<float>(0), *g = b.get<float>(1), *m = b.get<float>(2),
                    *v = b.get<float>(3);
        check.elements<adam_p>(0, b.get<float>(4), n, p, g, m, v);
        check.elements<adam_m>(1, b.get<float>(5), n, g, m);
        check.elements<adam_v>(2, b.get<float>(6), n, g, v);
      });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  relu_add_mul<float>(run, 8192, 8192);
  relu_add_mul<tn::bfloat16>(run, 8192, 8192);
  sin_plus_cos<float>(run, 8192, 8192);
  tanh_add_transposed<float>(run, 8192, 8192);
  tanh_add_transposed<tn::bfloat16>(run, 8192, 8192);
  adam(run, 67108864);
  return run.exit_code();
}
