// SPDX-License-Identifier: Apache-2.0
// The plan cache: what is a hit, what is a miss, what is thrown out, and one plan per key however
// many threads ask.
#include <atomic>
#include <thread>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

TEST(plan_cache, counts_hits_and_misses_per_shape) {
  auto const f = tn::compile([](auto x) { return x * 2; });
  auto x = random_array<float, 1>({31}), y = random_array<float, 1>({33});
  auto const a = x.view(), b = y.view();
  for (int round = 0; round < 3; ++round) {
    f(a);
    f(b);
  }
  tn::cache_counters const counters = tn::cache_statistics(f, a);
  EXPECT_EQ(counters.misses, 2u);
  EXPECT_EQ(counters.hits, 4u);
  EXPECT_EQ(counters.evictions, 0u);
}

TEST(plan_cache, strides_alignment_and_outputs_belong_to_the_key) {
  auto const f = tn::compile([](auto x) { return x * 2 + 1; });
  auto const misses_of = [&](arrangement how) {
    auto x = random_array<float, 2>({33, 64}, how);
    auto const before = tn::cache_statistics(f, x.view()).misses;
    f(x.view());
    return tn::cache_statistics(f, x.view()).misses - before;
  };
  EXPECT_EQ(misses_of(arrangement::contiguous), 1u);
  EXPECT_EQ(misses_of(arrangement::contiguous), 0u);
  EXPECT_EQ(misses_of(arrangement::misaligned), 1u);
  EXPECT_EQ(misses_of(arrangement::transposed), 1u);
  auto x = random_array<float, 2>({33, 64});
  tn::tensor<float, tn::dyn, tn::dyn> z(33, 64);
  auto const before = tn::cache_statistics(f, x.view()).misses;
  f.into(z)(x.view());
  f.into(z)(x.view());
  EXPECT_EQ(tn::cache_statistics(f, x.view()).misses - before, 1u);
}

// More shapes than places: old plans leave, every result stays right, a plan that left is made
// again.
TEST(plan_cache, evicts_beyond_its_capacity) {
  auto const f = tn::compile([](auto x) { return x * 3; });
  constexpr std::int64_t shapes = 3000;
  auto x = random_array<float, 1>({shapes});
  auto const values = x.values();
  auto const call = [&](std::int64_t length) {
    tn::tensor<float, tn::dyn> z(length);
    f.into(z)(tn::view<float, tn::dyn>(x.data(), length));
    return result_of(z);
  };
  for (std::int64_t length = 1; length <= shapes; ++length) {
    doubles const result = call(length);
    ASSERT_EQ(result[length - 1], static_cast<float>(values[length - 1] * 3)) << length;
  }
  tn::cache_counters const first = tn::cache_statistics(f, x.view());
  EXPECT_EQ(first.misses, static_cast<std::uint64_t>(shapes));
  EXPECT_GE(first.evictions, static_cast<std::uint64_t>(shapes) - 1024) << "a bounded cache";
  for (std::int64_t length = 1; length <= shapes; ++length) call(length);
  tn::cache_counters const second = tn::cache_statistics(f, x.view());
  EXPECT_EQ(second.hits + second.misses, 2 * static_cast<std::uint64_t>(shapes));
  EXPECT_GT(second.misses, first.misses);
}

TEST(plan_cache, a_refused_call_leaves_no_plan) {
  auto const f = tn::compile([](auto x, auto y) { return x + y; });
  tn::tensor<float, tn::dyn> x(3), y(4);
  for (int round = 0; round < 2; ++round)
    EXPECT_NE(message_of([&] { f(x, y); }), "nothing was raised");
  tn::cache_counters const counters = tn::cache_statistics(f, x, y);
  EXPECT_EQ(counters.misses + counters.hits, 0u);
}

// All threads start together, so that the first call is a race.
template <class Work> void on_16_threads(Work const& work) {
  std::atomic<int> waiting{16};
  std::vector<std::thread> threads;
  for (int k = 0; k < 16; ++k)
    threads.emplace_back([&, k] {
      for (--waiting; waiting.load() > 0;) std::this_thread::yield();
      work(k);
    });
  for (std::thread& t : threads) t.join();
}

TEST(plan_cache, one_plan_when_16_threads_call_first) {
  auto const f = tn::compile([](auto x) { return x * 2 - 1; });
  auto x = random_array<float, 1>({1025});
  doubles const expected = reference::elementwise([](double v) { return v * 2 - 1; }, x.values());
  doubles const scale = reference::elementwise([](double) { return 7.0; }, expected);
  auto const view = x.view();
  std::vector<doubles> results(16, doubles({0}));
  on_16_threads([&](int k) {
    for (int round = 0; round < 20; ++round)
      results[static_cast<std::size_t>(k)] = result_of(f(view));
  });
  for (doubles const& result : results)
    check_close(tn::dtype::f32, result, expected, {.scale = &scale});
  tn::cache_counters const counters = tn::cache_statistics(f, view);
  EXPECT_EQ(counters.misses, 1u);
  EXPECT_EQ(counters.hits, 16u * 20 - 1);
}

TEST(plan_cache, one_plan_per_shape_when_16_threads_use_four_shapes) {
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); });
  constexpr std::int64_t lengths[] = {31, 1024, 1025, 4099};
  std::vector<array<float, 2>> operands;
  for (std::int64_t length : lengths) operands.push_back(random_array<float, 2>({3, length}));
  std::atomic<int> wrong{0};
  on_16_threads([&](int k) {
    for (int round = 0; round < 20; ++round) {
      auto& x = operands[static_cast<std::size_t>((k + round) % 4)];
      doubles const values = x.values(),
                    expected = reference::reduced(values, 0b10, false, reference::sum);
      doubles const result = result_of(f(x.view()));
      for (std::int64_t row = 0; row < 3; ++row)
        if (std::fabs(result[row] - expected[row]) > 1e-5 * static_cast<double>(values.size()))
          ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  tn::cache_counters const counters = tn::cache_statistics(f, operands[0].view());
  EXPECT_EQ(counters.misses, 4u);
  EXPECT_EQ(counters.hits, 16u * 20 - 4);
}

// Plans are thrown out while other threads use theirs.
TEST(plan_cache, evicts_under_16_threads) {
  auto const f = tn::compile([](auto x) { return x * 5; });
  auto x = random_array<float, 1>({2048});
  doubles const values = x.values();
  std::atomic<int> wrong{0};
  on_16_threads([&](int k) {
    for (std::int64_t length = 1 + k; length <= 2048; length += 7) {
      auto const result = result_of(f(tn::view<float, tn::dyn>(x.data(), length)));
      if (result[length - 1] != static_cast<float>(values[length - 1] * 5)) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
