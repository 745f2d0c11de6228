// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// Stores past the caches: of any place and length, and by calls whose results are large enough.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tenon/tenon.hpp"

namespace {

namespace tn = tenon;
namespace backend = tenon::cpu_backend;
using vector = tn::cpu::tensor<float, tn::dyn>;
using matrix = tn::cpu::tensor<float, tn::dyn, tn::dyn>;

template <class T> void store_at_every_place() {
  alignas(64) T source[600], target[800];
  for (int i = 0; i < 600; ++i) source[i] = static_cast<T>(i % 101 + 1);
  for (int begin = 0; begin < 70; ++begin)
    for (int count : {0, 1, 7, 15, 16, 17, 31, 64, 127, 128, 333, 600}) {
      for (T& x : target) x = T{};
      backend::store_streamed(source, target + begin, count);
      backend::finish_streamed_stores();
      for (int i = 0; i < 800; ++i) {
        bool const is_stored = begin <= i && i < begin + count;
        ASSERT_EQ(target[i], is_stored ? source[i - begin] : T{})
            << i << ": " << count << " from " << begin;
      }
    }
}
TEST(streamed_store, any_place_and_length) {
  store_at_every_place<std::uint8_t>();
  store_at_every_place<std::int16_t>();
  store_at_every_place<float>();
  store_at_every_place<double>();
}

TEST(streamed_store, large_operands_of_long_rows_alone) {
  long long const most = backend::most_bytes_to_cache();
  EXPECT_GE(most, 1 << 20);
  EXPECT_FALSE(backend::is_worth_streaming(most, most));
  EXPECT_EQ(backend::is_worth_streaming(most + 1, most + 1), backend::has_streamed_stores);
  EXPECT_EQ(backend::is_worth_streaming(4 * most, 2048), backend::has_streamed_stores);
  EXPECT_FALSE(backend::is_worth_streaming(4 * most, 2047));
}

float number(std::int64_t i) { return static_cast<float>(i % 4093 - 2000) * 0.25f; }

// One element behind the begin of a line, the operand in place.
TEST(streamed_store, whole_of_a_large_array) {
  std::int64_t const size = backend::most_bytes_to_cache() / 4 + 1031;
  vector memory(size + 1);
  float* const x = memory.data() + 1;
  for (std::int64_t i = 0; i < size; ++i) x[i] = number(i);
  tn::cpu::view<float, tn::dyn> const view(x, size);
  auto const f = tn::compile([](auto p) { return p * 2.0f + 1.0f; });
  f.into(view)(view);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < size; ++i) wrong += x[i] != number(i) * 2.0f + 1.0f;
  EXPECT_EQ(wrong, 0);
}

// Rows that begin at every place of a line have the bits of rows that the caches hold.
TEST(streamed_store, rows_of_a_large_matrix) {
  std::int64_t const columns = 1037, rows = backend::most_bytes_to_cache() / 4 / columns + 64;
  matrix x(rows, columns), y(rows, columns), few_x(40, columns), few_y(40, columns);
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = number(i * 7) * 0.01f;
  auto const f = tn::compile([](auto p) { return tn::softmax(p, tn::axis<-1>); });
  f.into(y)(x);
  std::int64_t wrong = 0;
  for (std::int64_t first = 0; first + 40 <= rows; first += 40) {
    float const* const from = x.data() + first * columns;
    std::copy(from, from + few_x.size(), few_x.data());
    f.into(few_y)(few_x);
    for (std::int64_t i = 0; i < few_y.size(); ++i)
      wrong += y.data()[first * columns + i] != few_y.data()[i];
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
