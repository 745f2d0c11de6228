// SPDX-License-Identifier: Apache-2.0
// Operands that end where their memory does, and begin where it does or an element behind: whoever
// looks at every access (compute-sanitizer) finds none outside. Results are those of the same
// operands among others.
#include "run/support/arrays.hpp"

namespace {

constexpr std::int64_t lengths[] = {1, 3, 5, 7, 9, 15, 17, 33, 100, 255, 1023, 1025, 4099};

// The elements of an array in memory of their own, behind `in_front` others.
template <class T, int Rank> class alone {
 public:
  alone(array<T, Rank> const& from, std::int64_t in_front)
      : in_front_(in_front), extents_(from.extents()) {
    reference::doubles const values = from.values();
    std::vector<T> elements(static_cast<std::size_t>(in_front), T(0.0f));
    for (double v : values.values) elements.push_back(from_double<T>(v));
    memory_ = tn::tensor<T, tn::dyn>(elements, static_cast<std::int64_t>(elements.size()));
  }
  dyn_view<T, Rank> view() {
    extents_of_rank<Rank> strides{};
    std::int64_t stride = 1;
    for (int k = Rank - 1; k >= 0; --k) strides[k] = stride, stride *= extents_[k];
    return dyn_view<T, Rank>::with_strides(memory_.data() + in_front_, extents_, strides);
  }

 private:
  std::int64_t in_front_;
  extents_of_rank<Rank> extents_;
  tn::tensor<T, tn::dyn> memory_{0};
};

template <class T, class Function> void check(Function const& f) {
  for (std::int64_t length : lengths)
    for (std::int64_t rows : {1, 2, 5, 37}) {
      if (rows * length > 5000) continue;
      auto x = random_array<T, 2>({rows, length});
      auto w = random_array<T, 1>({length});
      std::vector<double> const expected = result_of(f(x.view(), w.view())).values;
      for (std::int64_t in_front : {0, 1}) {
        alone<T, 2> x_alone(x, in_front);
        alone<T, 1> w_alone(w, in_front);
        EXPECT_EQ(result_of(f(x_alone.view(), w_alone.view())).values, expected)
            << rows << " x " << length << ", " << in_front;
      }
    }
}
template <class T> void check_all() {
  check<T>(tn::compile([](auto x, auto w) { return tn::maximum(x, w); }));
  check<T>(tn::compile([](auto x, auto) { return tn::sum(x, tn::axis<1>); }));
  check<T>(tn::compile([](auto x, auto) { return tn::max(x, tn::axis<1>); }));
  check<T>(tn::compile([](auto x, auto) { return tn::sum(x, tn::axis<0>); }));
  check<T>(tn::compile([](auto x, auto w) { return tn::sum(tn::maximum(x, w), tn::axis<1>); }));
  check<T>(tn::compile(
      [](auto x, auto w) { return tn::maximum(x, w) == tn::max(x, tn::axis<1>, tn::keepdim); }));
  check<T>(tn::compile(
      [](auto x, auto w) { return tn::maximum(x, w) == tn::max(x, tn::axis<0>, tn::keepdim); }));
  check<T>(tn::compile([](auto x, auto) { return tn::concat(x, x, tn::axis<0>); }));
}
template <class T> void check_floating() {
  check<T>(tn::compile([](auto x, auto) { return tn::softmax(x, tn::axis<1>); }));
  check<T>(tn::compile([](auto x, auto) { return tn::softmax(x, tn::axis<0>); }));
  check<T>(tn::compile([](auto x, auto) { return tn::var(x, tn::axis<1>, tn::correction<0>); }));
  check<T>(tn::compile([](auto x, auto) { return tn::cumsum(x, tn::axis<1>); }));
}
TEST(exact_memory, of_float) { check_all<float>(), check_floating<float>(); }
TEST(exact_memory, of_half) { check_all<tn::half>(), check_floating<tn::half>(); }
TEST(exact_memory, of_bytes) { check_all<std::int8_t>(); }
TEST(exact_memory, of_double) { check_floating<double>(); }
TEST(exact_memory, of_layer_norms) {
  check<float>(tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); }));
  check<double>(tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); }));
}

}  // namespace
