// SPDX-License-Identifier: Apache-2.0
// Every composite is accepted by one kernel family, with run-time and with build-time extents.
#include <string_view>

#include "tenon/nn/activation.hpp"
#include "tenon/nn/blend.hpp"
#include "tenon/nn/group_norm.hpp"
#include "tenon/nn/loss.hpp"
#include "tenon/nn/norms.hpp"
#include "tenon/nn/optimizer.hpp"
#include "tenon/program/reify.hpp"
#include "tenon/special.hpp"

namespace tenon {
namespace {

using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using fixed = tensor_argument<dtype::f32, 64, 128>;
using images = tensor_argument<dtype::f32, dyn, 32, dyn, dyn>;
using fixed_images = tensor_argument<dtype::bf16, 8, 32, 7, 7>;
using channels = tensor_argument<dtype::f32, 32>;
using number = scalar_argument<dtype::f32>;

template <class... Arguments, class Function>
constexpr std::string_view family_of(Function) {
  constexpr auto const& flat = detail::lowered<Function, Arguments...>::flat;
  return flat.refused == refusal::none && flat.chosen != nullptr ? flat.chosen->name : "refused";
}

constexpr auto activations = [](auto x, auto y) {
  return outputs(relu6(x), hardtanh(x), hardtanh(x, -2, 2), prelu(x, y), celu(x), celu(x, 0.5), swiglu(x, y), lerp(x, y, 0.25),
                 lerp(x, y, y), addcmul(x, y, y), addcmul(x, y, y, 0.5), addcdiv(x, y, y, 0.5), leaky_relu(x),
                 leaky_relu(x, 0.2), elu(x), lgamma(x), digamma(x), i0(x), erfinv(x));
};
static_assert(family_of<matrix, matrix>(activations) == "pointwise");
static_assert(family_of<fixed, fixed>(activations) == "pointwise");

constexpr auto losses = [](auto x, auto y) {
  return outputs(mse_loss(x, y), l1_loss(x, y), huber_loss(x, y), smooth_l1_loss(x, y, 0.5), bce_with_logits_loss(x, y),
                 bce_with_logits_loss(x, y, 2.0), kl_div_loss(x, y), hinge_loss(x, y), mse_loss(x, y, sum),
                 huber_loss(x, y, 0.5, sum));
};
static_assert(family_of<matrix, matrix>(losses) == "full");
static_assert(family_of<fixed, fixed>(losses) == "full");
static_assert(family_of<matrix, matrix>([](auto x, auto y) { return mse_loss(x, y, none); }) == "pointwise");

constexpr auto rows = [](auto x, auto y) {
  constexpr auto last = axis<-1>;
  return outputs(cosine_similarity(x, y, last), l1_norm(x, last), l2_norm(x, last, keepdim), inf_norm(x, last),
                 sum_of_squares(x, last), count_nonzero(x, last));
};
static_assert(family_of<matrix, matrix>(rows) == "rows" && family_of<fixed, fixed>(rows) == "rows");

constexpr auto channel_norms = [](auto x, auto w, auto b) {
  return outputs(instance_norm(x, w, b), batch_norm_inference(x, w, b), batch_norm_inference(x, w, b, w, b));
};
static_assert(family_of<images, channels, channels>(channel_norms) == "rows");
static_assert(family_of<fixed_images, channels, channels>(channel_norms) == "rows");
constexpr auto batch = [](auto x, auto w, auto b) { return outputs(batch_norm(x), batch_norm(x, w, b, 1e-3)); };
static_assert(family_of<images, channels, channels>(batch) == "split rows");
static_assert(family_of<fixed_images, channels, channels>(batch) == "split rows");

static_assert(family_of<images>([](auto x) { return group_norm(x, ct<8>); }) == "rows");
static_assert(family_of<fixed_images>([](auto x) { return group_norm(x, ct<8>); }) == "rows");
static_assert(family_of<images, channels, channels>([](auto x, auto w, auto b) { return group_norm(x, ct<8>, w, b); }) == "rows");
static_assert(family_of<fixed_images, channels, channels>([](auto x, auto w, auto b) { return group_norm(x, ct<4>, w, b, 1e-3); }) == "rows");

static_assert(family_of<matrix, matrix, number>([](auto p, auto g, auto rate) { return outputs(sgd(p, g, rate), sgd(p, g, rate, 0.1)); }) == "pointwise");
static_assert(family_of<matrix, matrix, matrix, number>([](auto p, auto g, auto v, auto rate) { return sgd_momentum(p, g, v, rate, 0.9, 0.01); }) == "pointwise");
constexpr auto adam_step = [](auto p, auto g, auto m, auto v, auto step, auto rate) { return adam(p, g, m, v, step, rate); };
constexpr auto adamw_step = [](auto p, auto g, auto m, auto v, auto step, auto rate) { return adamw(p, g, m, v, step, rate); };
static_assert(family_of<matrix, matrix, matrix, matrix, number, number>(adam_step) == "pointwise");
static_assert(family_of<tensor_argument<dtype::bf16, dyn>, tensor_argument<dtype::bf16, dyn>, tensor_argument<dtype::f32, dyn>,
                        tensor_argument<dtype::f32, dyn>, number, number>(adamw_step) == "pointwise");

}  // namespace
}  // namespace tenon
