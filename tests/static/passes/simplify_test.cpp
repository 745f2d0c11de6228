// SPDX-License-Identifier: Apache-2.0
// Every rewrite rule of simplify, and what must stay because IEEE arithmetic does not allow it.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// The graph after simplify, without what it left behind.
template <class... Arguments, class Function> constexpr text simplified(Function f) {
  return print(passes::dead_nodes(passes::simplify(before<Arguments...>("simplify", f))));
}
template <class... Arguments, class Function, class Expected>
constexpr bool simplifies(Function f, Expected expected) {
  return simplified<Arguments...>(f) == simplified<Arguments...>(expected);
}
// Nothing happens to the graph; `nodes` of it are left.
template <class... Arguments, class Function> constexpr bool stays(Function f) {
  graph const g = before<Arguments...>("simplify", f);
  return print(passes::simplify(g)) == print(g);
}
constexpr auto same = [](auto x) { return x; };
using integers = tensor_argument<dtype::i32, dyn>;
using unsigned_bytes = tensor_argument<dtype::u8, dyn>;
using booleans = tensor_argument<dtype::boolean, dyn>;
using halves = tensor_argument<dtype::f16, dyn>;

static_assert(simplifies<vector>([](auto x) { return x * 1; }, same));
static_assert(simplifies<vector>([](auto x) { return 1 * x; }, same));
static_assert(simplifies<vector>([](auto x) { return x / 1; }, same));
static_assert(simplifies<vector>([](auto x) { return x - 0; }, same));
static_assert(simplifies<vector>([](auto x) { return x + -0.0; }, same));
static_assert(simplifies<vector>([](auto x) { return -(-x); }, same));
static_assert(simplifies<vector>([](auto x) { return pow(x, 1); }, same));
static_assert(simplifies<integers>([](auto x) { return x + 0; }, same));
static_assert(simplifies<integers>([](auto x) { return x * 1; }, same));
static_assert(simplifies<booleans>([](auto x) { return !!x; }, same));
static_assert(simplifies<halves>([](auto x) { return x * 1.0; }, same));
static_assert(simplifies<vector>([](auto x) { return abs(abs(x)); },
                                 [](auto x) { return abs(x); }));
static_assert(simplifies<vector>([](auto x) { return abs(-x); }, [](auto x) { return abs(x); }));
static_assert(stays<unsigned_bytes>([](auto x) { return abs(-x); }));  // abs_of_negated_unsigned
static_assert(simplifies<vector>([](auto x) { return abs(-abs(x)); },
                                 [](auto x) { return abs(x); }));
static_assert(simplifies<vector>([](auto x) { return relu(relu(x)); },
                                 [](auto x) { return relu(x); }));
static_assert(simplifies<vector>([](auto x) { return pow(x, 2); },
                                 [](auto x) { return square(x); }));
static_assert(simplifies<integers>([](auto x) { return pow(x, 2); },
                                   [](auto x) { return square(x); }));
static_assert(simplifies<vector>([](auto x) { return pow(x, -1); },
                                 [](auto x) { return reciprocal(x); }));
static_assert(simplifies<vector>([](auto x) { return x / 4; }, [](auto x) { return x * 0.25; }));
static_assert(simplifies<vector>([](auto x) { return x / -0.5; }, [](auto x) { return x * -2; }));
static_assert(simplifies<vector, vector>([](auto x, auto y) { return x * y - y * x; },
                                         [](auto x, auto y) {
                                           auto p = x * y;
                                           return p - p;
                                         }));
static_assert(simplifies<integers>([](auto x) { return x * 1.0; },
                                   [](auto x) { return cast<float>(x); }));

static_assert(stays<vector>([](auto x) { return x * 0; }));
static_assert(stays<vector>([](auto x) { return x + 0.0; }), "-0 + 0 is 0");
static_assert(stays<vector>([](auto x) { return x - -0.0; }), "-0 - -0 is 0");
static_assert(stays<vector>([](auto x) { return x - x; }), "of infinity it is NaN");
static_assert(stays<vector>([](auto x) { return x / x; }), "of 0 it is NaN");
static_assert(stays<vector>([](auto x) { return x / 3; }), "1/3 is not exact");
static_assert(stays<vector>([](auto x) { return x / 0; }));
static_assert(stays<vector>([](auto x) { return 0 - x; }), "0 - 0 is 0, -(0) is -0");
static_assert(stays<vector>([](auto x) { return log(exp(x)); }));
static_assert(stays<vector>([](auto x) { return cast<float>(cast<half>(x)); }), "it rounds");
static_assert(stays<integers>([](auto x) { return pow(x, -1); }), "reciprocal would make it float");
static_assert(stays<vector>([](auto x) { return maximum(minimum(x, 1), 1); }), "of NaN it is NaN");

// A reduction of one element is that element.
static_assert(is(simplified<f32<dyn, 1>>([](auto x) { return sum(x, axis<1>); }), R"(
%0 = input 0 : f32[x0.0, 1]
%1 = reshape %0 : f32[x0.0]
return %1:f32
)"));
static_assert(is(simplified<point>([](auto x) { return max(x); }), R"(
%0 = input 0 : f32[]
return %0:f32
)"));
static_assert(is(simplified<f32<dyn, 1>>([](auto x) { return var(x, axis<1>); }), R"(
%0 = input 0 : f32[x0.0, 1]
%1 = moments %0 axes 1 : f32[x0.0]
%2 = m2_of %1 : f32[x0.0]
%3 = literal 0 : f32[]
%4 = div %2 %3 : f32[x0.0]
return %4:f32
)"));

// A reduction of a reshape, where axes are reduced by whole groups.
static_assert(is(simplified<matrix>([](auto x) { return mean(flatten(x)); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 1 : f32[]
%2 = size [x0.0*x0.1] : f32[]
%3 = div %1 %2 : f32[]
return %3:f32
)"));
static_assert(is(simplified<f32<dyn, 6, dyn>>([](auto x) {
                   return sum(reshape(x, shape<-1, 2, 3, 1>), axis<2>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, 6, x0.2]
%1 = reshape %0 : f32[x0.0*x0.2, 2, 3, 1]
%2 = sum %1 axes 2 : f32[x0.0*x0.2, 2, 1]
return %2:f32
)"));
static_assert(is(simplified<f32<dyn, 6>>([](auto x) {
                   return sum(reshape(x, shape<-1, 2, 3>), axis<1, 2>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, 6]
%1 = sum %0 axes 1 : f32[x0.0]
return %1:f32
)"));
static_assert(is(
    simplified<f32<dyn, 6>>([](auto x) { return sum(reshape(x, shape<-1, 2, 3>), axis<2>); }), R"(
%0 = input 0 : f32[x0.0, 6]
%1 = reshape %0 : f32[x0.0, 2, 3]
%2 = sum %1 axes 2 : f32[x0.0, 2]
return %2:f32
)"));

}  // namespace
}  // namespace tenon::test
