// SPDX-License-Identifier: Apache-2.0
// Rows of whole vectors that begin anywhere: the bits of aligned ones, and nothing written beside
// them.
#include "run/support/arrays.hpp"

namespace {

// Rows `gap` elements apart, the first one `offset` behind an aligned address.
template <class T> class shifted_rows {
 public:
  shifted_rows(std::int64_t rows, std::int64_t length, int offset, int gap)
      : rows_(rows),
        length_(length),
        stride_(length + gap),
        offset_(offset),
        all_({offset + rows * stride_}) {}

  void set(reference::doubles const& values) {
    reference::doubles all({all_.size()},
                           reference::elements(static_cast<std::size_t>(all_.size())));
    for (std::int64_t i = 0; i < rows_ * length_; ++i) all[place_of(i)] = values[i];
    all_.set(all);
  }
  auto view() {
    return dyn_view<T, 2>::with_strides(all_.data() + offset_, {rows_, length_}, {stride_, 1});
  }
  auto first_row() { return dyn_view<T, 1>::with_strides(all_.data() + offset_, {length_}, {1}); }
  // The rows' bytes. @post what lies beside them is as it was
  std::vector<unsigned char> bits() const {
    std::vector<unsigned char> const found = all_.bits();
    std::vector<unsigned char> result;
    std::vector<bool> is_result(found.size() / sizeof(T));
    for (std::int64_t i = 0; i < rows_ * length_; ++i) {
      auto const at = static_cast<std::size_t>(place_of(i));
      is_result[at] = true;
      result.insert(result.end(), found.begin() + at * sizeof(T),
                    found.begin() + (at + 1) * sizeof(T));
    }
    for (std::size_t i = 0; i < is_result.size(); ++i)
      for (std::size_t byte = 0; !is_result[i] && byte < sizeof(T); ++byte)
        EXPECT_EQ(found[i * sizeof(T) + byte], 0xFF) << "element " << i << " is beside the rows";
    return result;
  }

 private:
  std::int64_t place_of(std::int64_t i) const {
    return offset_ + i / length_ * stride_ + i % length_;
  }
  std::int64_t rows_, length_, stride_;
  int offset_;
  array<T, 1> all_;
};

struct places {
  int of_x, of_weight, of_result, gap;
};
constexpr places ways[] = {{1, 1, 1, 0}, {3, 0, 2, 0}, {0, 5, 0, 0}, {0, 0, 3, 0}, {2, 7, 6, 5}};

template <class T, class Weight, class Result, class Compute>
void check(Compute const& compute, std::vector<std::int64_t> const& lengths) {
  for (std::int64_t length : lengths)
    for (std::int64_t rows : {1, 3, 150}) {
      if (rows * length > (length > 16384 ? 1 << 18 : 1 << 16)) continue;
      auto const values = random_doubles<T>({rows, length});
      auto const weights = random_doubles<Weight>({1, length});
      auto const run = [&](places const& at) {
        shifted_rows<T> x(rows, length, at.of_x, at.gap);
        shifted_rows<Weight> weight(1, length, at.of_weight, 0);
        shifted_rows<Result> result(rows, length, at.of_result, at.gap);
        x.set(values), weight.set(weights);
        compute(result.view(), x.view(), weight.first_row());
        return result.bits();
      };
      auto const expected = run({0, 0, 0, 0});
      for (places const& at : ways)
        EXPECT_EQ(run(at), expected) << rows << " x " << length << ", at " << at.of_x << ", "
                                     << at.of_weight << " and " << at.of_result;
    }
}

template <class T, class Weight, class Result>
void check_normal(std::vector<std::int64_t> const& lengths) {
  check<T, Weight, Result>(
      [](auto result, auto x, auto weight) {
        static auto const f = tn::compile([](auto x, auto w) {
          return tn::cast<Result>(tn::layer_norm(tn::cast<float>(x), tn::cast<float>(w),
                                                 tn::cast<float>(w), tn::axis<-1>));
        });
        f.into(result)(x, weight);
      },
      lengths);
}
template <class T> void check_softmax(std::vector<std::int64_t> const& lengths) {
  check<T, T, T>(
      [](auto result, auto x, auto) {
        static auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
        f.into(result)(x);
      },
      lengths);
}

std::vector<std::int64_t> const lengths{4,    8,     16,    24,    32,    64,     100,   128,  136,
                                        256,  512,   768,   1000,  1024,  2048,   3000,  3584, 4096,
                                        8192, 12288, 16384, 32768, 65536, 131072, 262144};

TEST(shifted_rows, of_layer_norm_of_float) { check_normal<float, float, float>(lengths); }
TEST(shifted_rows, of_layer_norm_of_bfloat16) {
  check_normal<tn::bfloat16, tn::bfloat16, tn::bfloat16>(lengths);
}
TEST(shifted_rows, of_layer_norm_of_half_and_float) {
  check_normal<tn::half, float, tn::bfloat16>(lengths);
}
TEST(shifted_rows, of_layer_norm_of_bytes) {
  check_normal<std::int8_t, tn::bfloat16, tn::float8_e4m3>(lengths);
}
TEST(shifted_rows, of_softmax_of_float) { check_softmax<float>(lengths); }
TEST(shifted_rows, of_softmax_of_bfloat16) { check_softmax<tn::bfloat16>(lengths); }
TEST(shifted_rows, of_softmax_of_double) { check_softmax<double>(lengths); }
TEST(shifted_rows, of_two_operands) {
  check<float, float, float>(
      [](auto result, auto x, auto weight) {
        static auto const f = tn::compile([](auto x, auto y, auto w) {
          return x * (y - tn::sum(x * y, tn::axis<1>, tn::keepdim)) * w;
        });
        f.into(result)(x, x, weight);
      },
      lengths);
}

}  // namespace
