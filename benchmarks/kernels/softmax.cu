// SPDX-License-Identifier: Apache-2.0
// Softmax over rows of 1024 to a million columns, and over columns.

#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

template <class T> using matrix = tn::view<T, tn::dyn, tn::dyn>;

// A block takes one line after the other: element k of line i lies at i * line_stride + k * step.
template <class T>
__global__ void softmax_reference(T const* x, T const* out, long long lines, long long line_stride,
                                  long long length, long long step, bench::error_sums* total) {
  bench::tally mine;
  for (long long line = blockIdx.x; line < lines; line += gridDim.x) {
    T const* in = x + line * line_stride;
    double largest = -INFINITY, sum = 0;
    for (long long k = threadIdx.x; k < length; k += blockDim.x)
      largest = fmax(largest, bench::wide(in[k * step]));
    largest = bench::block_max(largest);
    for (long long k = threadIdx.x; k < length; k += blockDim.x)
      sum += exp(bench::wide(in[k * step]) - largest);
    sum = bench::block_sum(sum);
    for (long long k = threadIdx.x; k < length; k += blockDim.x)
      mine.add(out[line * line_stride + k * step], exp(bench::wide(in[k * step]) - largest) / sum);
  }
  mine.commit(total);
}

template <class T, int Axis>
void softmax(bench::session& run, long long rows, long long columns,
             bench::timing how = bench::timing::steady) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<Axis>); }, "softmax");
  long long const n = rows * columns;
  run.measure(
      bench::workload{Axis == 0 ? "softmax_axis0" : "softmax", bench::shape{rows, columns},
                      bench::dtype_name<T>, bench::arrays{bench::normal<T>(n), bench::output<T>(n)},
                      2 * n * static_cast<long long>(sizeof(T)), how},
      [&](bench::buffer_set const& b, tn::stream on) {
        matrix<T const> x(b.get<T>(0), rows, columns);
        matrix<T> out(b.get<T>(1), rows, columns);
        f.on(on).into(out)(x);
      },
      [&](bench::buffer_set const& b, bench::checker& check) {
        bool const is_over_rows = Axis == 0;
        softmax_reference<<<bench::checker::blocks, bench::reference_threads, 0, check.stream()>>>(
            b.get<T>(0), b.get<T>(1), is_over_rows ? columns : rows, is_over_rows ? 1 : columns,
            is_over_rows ? rows : columns, is_over_rows ? columns : 1, check.output(0));
        tn::check(cudaGetLastError(), "reference");
      });
}

template <class T> void large_softmaxes(bench::session& run) {
  softmax<T, -1>(run, 32768, 1024);
  softmax<T, -1>(run, 32768, 4096);
  softmax<T, -1>(run, 16384, 16384);
  softmax<T, -1>(run, 8192, 65536);
  softmax<T, -1>(run, 2048, 262144);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  large_softmaxes<float>(run);
  large_softmaxes<tn::bfloat16>(run);
  softmax<float, -1>(run, 4, 1048576, bench::timing::single);
  softmax<float, 0>(run, 4096, 32768);
  return run.exit_code();
}
