// SPDX-License-Identifier: Apache-2.0
// Rows that are kept until they are finished, of the lengths where kernels change: against plain
// loops, and with the same bits misaligned and by themselves.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// In vectors of 16 bytes of f32 and of bf16: 1, 64, 128, 2048, 4096, and one more of each; then
// lengths of which every row begins elsewhere in a vector.
constexpr std::int64_t lengths[] = {
    8,     16,    256,   264,   512,    520,  1024, 1032, 4096, 8192,  8200, 16384,
    16392, 32768, 32776, 65536, 131072, 1,    2,    3,    5,    7,     9,    13,
    17,    31,    33,    63,    65,     101,  127,  129,  255,  257,   289,  513,
    545,   1023,  1025,  2047,  4099,   8191, 8193, 8703, 8705, 20011, 50257};

constexpr unsigned along_row = 0b10;
doubles softmax_of(doubles const& x) { return reference::softmax(x, along_row); }
doubles normalized(doubles const& x) { return reference::layer_norm(x, along_row, 1e-5); }
// What roundoffs are of: elements that are nearly equal leave of the mean's more than of their own.
doubles scale_of_normalized(doubles const& x) {
  auto const deviation = [](reference::elements const& row) {
    return std::sqrt(reference::variance(row, 0) + 1e-5);
  };
  auto const largest = [](reference::elements const& row) {
    return std::max(std::fabs(reference::max(row)), std::fabs(reference::min(row)));
  };
  return reference::elementwise(
      [](double result, double most, double deviation) {
        return std::fabs(result) + most / deviation;
      },
      normalized(x), reference::reduced(x, along_row, true, largest),
      reference::reduced(x, along_row, true, deviation));
}

template <class T, class Function, class Expected, class Scale>
void check_rows_of(Function const& f, Expected const& expected_of, Scale const& scale_of,
                   std::int64_t rows, std::int64_t columns, double storage) {
  std::string const what = std::to_string(rows) + " x " + std::to_string(columns);
  auto x = random_array<T, 2>({rows, columns}, arrangement::contiguous, -4, 4);
  doubles const given = x.values();
  array<T, 2> out({rows, columns});
  f.into(out.view())(x.view());
  double const roundoffs = 32 + sum_roundoffs(columns);
  doubles const scale = scale_of(given);
  check_close(tn::dtype_of<T>, out.result(), expected_of(given),
              {.arithmetic = roundoffs, .storage = storage, .scale = &scale}, what);
  array<T, 2> elsewhere({rows, columns}, arrangement::misaligned, given), again({rows, columns});
  f.into(again.view())(elsewhere.view());
  EXPECT_EQ(again.bits(), out.bits()) << "misaligned, " << what;
  reference::elements const of_last(given.values.end() - columns, given.values.end());
  array<T, 2> last({1, columns}, arrangement::contiguous, doubles({1, columns}, of_last));
  array<T, 2> by_itself({1, columns});
  f.into(by_itself.view())(last.view());
  std::vector<unsigned char> const all = out.bits();
  auto const bytes = columns * static_cast<std::int64_t>(sizeof(T));
  EXPECT_EQ(by_itself.bits(), std::vector<unsigned char>(all.end() - bytes, all.end()))
      << "by itself, " << what;
}
template <class T, class Function, class Expected, class Scale>
void check_rows(Function const& f, Expected const& expected_of, Scale const& scale_of,
                double storage = 1) {
  for (std::int64_t columns : lengths)
    for (std::int64_t rows : {1, 3, 64})
      if (rows * columns <= 1 << 18)
        check_rows_of<T>(f, expected_of, scale_of, rows, columns, storage);
  // More rows than a device works on at a time, of clusters.
  check_rows_of<T>(f, expected_of, scale_of, 401, 17000, storage);
}

template <class T> void check_softmax() {
  check_rows<T>(tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); }), softmax_of,
                softmax_of);
}
TEST(row_lengths, softmax_of_f32) { check_softmax<float>(); }
TEST(row_lengths, softmax_of_bf16) { check_softmax<tn::bfloat16>(); }
// More than the shared memory of all of an H200's multiprocessors.
TEST(row_lengths, softmax_of_a_row_that_no_device_keeps) {
  check_rows_of<float>(tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); }), softmax_of,
                       softmax_of, 1, 7000003, 1);
}

template <class T> void check_layer_norm() {
  check_rows<T>(
      tn::compile([](auto x) { return tn::layer_norm(x, tn::axis<1>); }),
      [](doubles const& x) { return normalized(x); }, scale_of_normalized);
}
TEST(row_lengths, layer_norm_of_f32) { check_layer_norm<float>(); }
TEST(row_lengths, layer_norm_of_bf16) { check_layer_norm<tn::bfloat16>(); }

// A thread has more of a row where much is computed. The error of gelu is a quarter unit.
TEST(row_lengths, gelu_of_layer_norm_of_bf16) {
  check_rows<tn::bfloat16>(
      tn::compile([](auto x) { return tn::gelu(tn::layer_norm(x, tn::axis<1>)); }),
      [](doubles const& x) { return reference::elementwise(reference::gelu, normalized(x)); },
      scale_of_normalized, 1.5);
}

}  // namespace
