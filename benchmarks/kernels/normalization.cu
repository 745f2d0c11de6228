// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalisation with what stands before and after them: one row, one or two
// statistics, one pass.

#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

template <class T> using vector = tn::view<T, tn::dyn>;
template <class T> using matrix = tn::view<T, tn::dyn, tn::dyn>;
template <class T> using cube = tn::view<T, tn::dyn, tn::dyn, tn::dyn>;

constexpr double layer_norm_epsilon = 1e-5, rms_norm_epsilon = 1e-6;

// Mean and 1 / standard deviation of values(k), two passes. @pre all threads of the block call it
template <class Values>
__device__ void moments_of_row(Values const& values, long long columns, double& mean,
                               double& scale) {
  double sum = 0, squares = 0;
  for (long long k = threadIdx.x; k < columns; k += blockDim.x) sum += values(k);
  mean = bench::block_sum(sum) / static_cast<double>(columns);
  for (long long k = threadIdx.x; k < columns; k += blockDim.x)
    squares += (values(k) - mean) * (values(k) - mean);
  scale = 1 / sqrt(bench::block_sum(squares) / static_cast<double>(columns) + layer_norm_epsilon);
}

template <class T>
__global__ void layernorm_gelu_reference(T const* x, T const* w, T const* b, T const* out,
                                         long long rows, long long columns,
                                         bench::error_sums* total) {
  bench::tally mine;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    auto value = [=](long long k) { return bench::wide(x[row * columns + k]); };
    double mean, scale;
    moments_of_row(value, columns, mean, scale);
    for (long long k = threadIdx.x; k < columns; k += blockDim.x) {
      double y = (value(k) - mean) * scale * bench::wide(w[k]) + bench::wide(b[k]);
      mine.add(out[row * columns + k], 0.5 * y * (1 + erf(y / sqrt(2.0))) * 1.2 + 0.1);
    }
  }
  mine.commit(total);
}

// `View` of x and the result, made from a pointer and `extents`.
template <template <class> class View, class T, class... Extents>
void seed_layernorm_gelu(bench::session& run, bench::timing how, long long columns,
                         Extents... extents) {
  auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        return tn::gelu(tn::layer_norm(x, w, b, tn::axis<-1>)) * 1.2f + 0.1f;
      },
      "seed_layernorm_gelu");
  long long const n = (columns * ... * extents), rows = n / columns;
  run.measure(
      bench::workload{"seed_layernorm_gelu", bench::shape{extents..., columns},
                      bench::dtype_name<T>,
                      bench::arrays{bench::normal<T>(n), bench::normal<T>(columns),
                                    bench::normal<T>(columns), bench::output<T>(n)},
                      2 * n * static_cast<long long>(sizeof(T)), how},
      [&](bench::buffer_set const& b, tn::stream on) {
        View<T const> x(b.get<T>(0), extents..., columns);
        vector<T const> w(b.get<T>(1), columns), bias(b.get<T>(2), columns);
        View<T> out(b.get<T>(3), extents..., columns);
        f.on(on).into(out)(x, w, bias);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        layernorm_gelu_reference<<<bench::checker::blocks, bench::reference_threads, 0,
                                   check.stream()>>>(b.get<T>(0), b.get<T>(1), b.get<T>(2),
                                                     b.get<T>(3), rows, columns, check.output(0));
        tn::check(cudaGetLastError(), "reference");
      });
}

template <class T>
__global__ void rmsnorm_reference(T const* x, T const* w, T const* out, long long rows,
                                  long long columns, bench::error_sums* total) {
  bench::tally mine;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    double squares = 0;
    for (long long k = threadIdx.x; k < columns; k += blockDim.x)
      squares += bench::wide(x[row * columns + k]) * bench::wide(x[row * columns + k]);
    double scale =
        1 / sqrt(bench::block_sum(squares) / static_cast<double>(columns) + rms_norm_epsilon);
    for (long long k = threadIdx.x; k < columns; k += blockDim.x)
      mine.add(out[row * columns + k],
               bench::wide(x[row * columns + k]) * scale * bench::wide(w[k]));
  }
  mine.commit(total);
}

template <class T> void rmsnorm(bench::session& run, long long rows, long long columns) {
  auto const f = tn::compile(
      [](auto x, auto w) { return tn::rms_norm(x, w, tn::axis<-1>, rms_norm_epsilon); }, "rmsnorm");
  long long const n = rows * columns;
  run.measure(
      bench::workload{
          "rmsnorm", bench::shape{rows, columns}, bench::dtype_name<T>,
          bench::arrays{bench::normal<T>(n), bench::normal<T>(columns), bench::output<T>(n)},
          2 * n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns);
        vector<T const> w(b.get<T>(1), columns);
        matrix<T> out(b.get<T>(2), rows, columns);
        f.on(on).into(out)(x, w);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        rmsnorm_reference<<<bench::checker::blocks, bench::reference_threads, 0, check.stream()>>>(
            b.get<T>(0), b.get<T>(1), b.get<T>(2), rows, columns, check.output(0));
        tn::check(cudaGetLastError(), "reference");
      });
}

template <class T>
__global__ void bias_residual_layernorm_reference(T const* x, T const* residual, T const* bias,
                                                  T const* w, T const* sum, T const* out,
                                                  long long rows, long long columns,
                                                  bench::error_sums* sum_total,
                                                  bench::error_sums* out_total) {
  bench::tally of_sum, of_out;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    auto value = [=](long long k) {
      return bench::wide(x[row * columns + k]) + bench::wide(bias[k]) +
             bench::wide(residual[row * columns + k]);
    };
    double mean, scale;
    moments_of_row(value, columns, mean, scale);
    for (long long k = threadIdx.x; k < columns; k += blockDim.x) {
      of_sum.add(sum[row * columns + k], value(k));
      of_out.add(out[row * columns + k], (value(k) - mean) * scale * bench::wide(w[k]));
    }
  }
  of_sum.commit(sum_total);
  of_out.commit(out_total);
}

template <class T>
void bias_residual_layernorm(bench::session& run, long long rows, long long columns) {
  auto const f = tn::compile(
      [](auto x, auto residual, auto bias, auto w) {
        auto h = x + bias + residual;
        return tn::outputs(h, tn::layer_norm(h, tn::axis<-1>) * w);
      },
      "bias_residual_layernorm");
  long long const n = rows * columns;
  bench::array_spec const in = bench::normal<T>(n), of_row = bench::normal<T>(columns),
                          out = bench::output<T>(n);
  run.measure(
      bench::workload{"bias_residual_layernorm", bench::shape{rows, columns}, bench::dtype_name<T>,
                      bench::arrays{in, in, of_row, of_row, out, out},
                      4 * n * static_cast<long long>(sizeof(T))},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns), residual(b.get<T>(1), rows, columns);
        vector<T const> bias(b.get<T>(2), columns), w(b.get<T>(3), columns);
        matrix<T> sum(b.get<T>(4), rows, columns), normalized(b.get<T>(5), rows, columns);
        f.on(on).into(sum, normalized)(x, residual, bias, w);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        bias_residual_layernorm_reference<<<bench::checker::blocks, bench::reference_threads, 0,
                                            check.stream()>>>(
            b.get<T>(0), b.get<T>(1), b.get<T>(2), b.get<T>(3), b.get<T>(4), b.get<T>(5), rows,
            columns, check.output(0), check.output(1));
        tn::check(cudaGetLastError(), "reference");
      });
}

template <class T> void all(bench::session& run) {
  seed_layernorm_gelu<cube, T>(run, bench::timing::single, 512, 64, 128);
  seed_layernorm_gelu<cube, T>(run, bench::timing::steady, 512, 128, 1024);
  seed_layernorm_gelu<matrix, T>(run, bench::timing::steady, 4096, 32768);
  rmsnorm<T>(run, 32768, 1024);
  rmsnorm<T>(run, 32768, 4096);
  rmsnorm<T>(run, 16384, 16384);
  rmsnorm<T>(run, 8192, 65536);
  bias_residual_layernorm<T>(run, 32768, 4096);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  all<float>(run);
  all<tn::bfloat16>(run);
  return run.exit_code();
}
