// SPDX-License-Identifier: Apache-2.0
// The type of every result: dtype and extents as the user sees them, before anything is computed.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function, class Expected>
constexpr bool gives(Function, Expected) {
  return std::is_same_v<detail::result_of<Function, Arguments...>, Expected>;
}
template <extent... E> using single = value<dtype::f32, E...>;
template <dtype D, extent... E> constexpr value<D, E...> of{};
template <extent... E> constexpr single<E...> is_f32{};
constexpr auto add_both = [](auto x, auto y) { return x + y; };

// Broadcasting: the more specific extent, aligned at the last axis.
static_assert(gives<f32<8, dyn>, f32<dyn>>(add_both, is_f32<8, dyn>));
static_assert(gives<f32<8, dyn>, f32<4>>(add_both, is_f32<8, 4>));
static_assert(gives<f32<"B", 1>, f32<1, 4>>(add_both, is_f32<"B", 4>));
static_assert(gives<f32<dyn>, f32<"B">>(add_both, is_f32<"B">));
static_assert(gives<f32<0>, f32<1>>(add_both, is_f32<0>));
static_assert(gives<point, f32<2, 3>>(add_both, is_f32<2, 3>));
static_assert(gives<scalar, point>(add_both, is_f32<>));

// Reductions, with and without the reduced axes.
static_assert(gives<f32<"B", 4, dyn>>([](auto x) { return sum(x, axis<1>); }, is_f32<"B", dyn>));
static_assert(gives<f32<"B", 4, dyn>>([](auto x) { return sum(x, axis<-1, 0>, keepdim); },
                                      is_f32<1, 4, 1>));
static_assert(gives<f32<"B", 4, dyn>>(
    [](auto x) { return var(x, keepdim, axis<0>, correction<0>); }, is_f32<1, 4, dyn>));
static_assert(gives<f32<"B", 4>>([](auto x) { return max(x); }, is_f32<>));
static_assert(gives<f32<"B", 4>>([](auto x) { return mean(x, keepdim); }, is_f32<1, 1>));
static_assert(gives<tensor_argument<dtype::i32, 4>>([](auto x) { return sum(x); }, of<dtype::i64>));
static_assert(gives<tensor_argument<dtype::f16, 4>>([](auto x) { return logsumexp(x); },
                                                    of<dtype::f16>));
static_assert(gives<f32<4>>([](auto x) { return any(x > 0); }, of<dtype::boolean>));

// Views.
static_assert(gives<f32<2, "B", dyn>>([](auto x) { return transpose(x); }, is_f32<dyn, "B", 2>));
static_assert(gives<f32<2, "B", dyn>>([](auto x) { return transpose(x, axis<1, -1, 0>); },
                                      is_f32<"B", dyn, 2>));
static_assert(gives<f32<10, "B">>([](auto x) { return slice(x, axis<0>, range<1, -1, 3>); },
                                  is_f32<3, "B">));
static_assert(gives<f32<10, "B">>([](auto x) { return slice(x, axis<1>, range<1>); },
                                  is_f32<10, dyn>));
static_assert(gives<f32<10, "B">>([](auto x) { return slice(x, axis<1>, range<0>); },
                                  is_f32<10, "B">));
static_assert(gives<f32<4, 6>>([](auto x) { return reshape(x, shape<3, -1>); }, is_f32<3, 8>));
static_assert(gives<f32<4, dyn>>([](auto x) { return reshape(x, shape<3, -1>); }, is_f32<3, dyn>));
static_assert(gives<f32<4, 6, dyn>>([](auto x) { return flatten(x, axis<0, 1>); },
                                    is_f32<24, dyn>));
static_assert(gives<f32<"B", 1>>([](auto x) { return flatten(x); }, is_f32<"B">));
static_assert(gives<point>([](auto x) { return flatten(x); }, is_f32<1>));
static_assert(gives<f32<1, 4, 1>>([](auto x) { return squeeze(x, axis<0, -1>); }, is_f32<4>));
static_assert(gives<f32<4>>([](auto x) { return unsqueeze(x, axis<-1>); }, is_f32<4, 1>));
static_assert(gives<point>([](auto x) { return unsqueeze(x, axis<0>); }, is_f32<1>));
static_assert(gives<f32<1, dyn>>([](auto x) { return broadcast_to(x, shape<2, 3, -1>); },
                                 is_f32<2, 3, dyn>));

// Composites keep the shape.
static_assert(gives<f32<"B", 8>>([](auto x) { return softmax(x, axis<-1>); }, is_f32<"B", 8>));
static_assert(gives<tensor_argument<dtype::bf16, "B", 8>, tensor_argument<dtype::bf16, 8>>(
    [](auto x, auto w) { return rms_norm(x, w); }, of<dtype::bf16, "B", 8>));

// The graph's shape is the type's, wherever the type knows it.
template <class... Arguments, class Function> constexpr bool agrees(Function f) {
  graph g = graph_of<Arguments...>(f);
  auto const extents = detail::result_of<Function, Arguments...>::extents;
  if (g.outputs[0].dims.size() != extents.size()) return false;
  for (int k = 0; k < extents.size(); ++k) {
    dim d = g.dims.representative(g.outputs[0].dims[k]);
    if (extents[k].is_static() && !(g.dims.is_constant(d) && g.dims[d].a == extents[k].size))
      return false;
  }
  return true;
}
static_assert(agrees<f32<dyn, dyn>, f32<4, 1>>(add_both) &&
              agrees<f32<4, 1>, f32<dyn, dyn>>(add_both));
static_assert(agrees<f32<dyn>, f32<4>>([](auto x, auto y) {
  return slice(x + y, axis<0>, range<1>);
}));
static_assert(agrees<f32<4, 6>>([](auto x) {
  return reshape(sum(x, axis<0>, keepdim), shape<2, -1>);
}));
static_assert(agrees<f32<dyn, 6>>([](auto x) { return flatten(slice(x, axis<0>, range<0, 0>)); }));
static_assert(agrees<f32<0, 6>>([](auto x) { return flatten(x); }));
static_assert(agrees<f32<1, dyn>, f32<dyn, 4>>([](auto x, auto y) {
  return unsqueeze(x + y, axis<1>);
}));

}  // namespace
}  // namespace tenon::test
