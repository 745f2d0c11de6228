// SPDX-License-Identifier: Apache-2.0
// Lesson 3: named extents, and a normalisation in one kernel. gelu(layer_norm(x)) * 1.2 + 0.1 at 64 x 128 x 512.

#include "support.hpp"

namespace tn = tenon;

auto const block = tn::compile([](auto x, auto weight, auto bias) {
  return tn::gelu(tn::layer_norm(x, weight, bias, tn::axis<-1>)) * 1.2f + 0.1f;
}, "block");

std::vector<double> reference(std::vector<float> const& x, std::vector<float> const& weight, std::vector<float> const& bias) {
  std::size_t const width = weight.size();
  std::vector<double> result(x.size());
  for (std::size_t row = 0; row < x.size() / width; ++row) {
    double mean = 0, variance = 0;
    for (std::size_t k = 0; k < width; ++k) mean += x[row * width + k];
    mean /= static_cast<double>(width);
    for (std::size_t k = 0; k < width; ++k) variance += (x[row * width + k] - mean) * (x[row * width + k] - mean);
    variance /= static_cast<double>(width);
    for (std::size_t k = 0; k < width; ++k) {
      double normal = (x[row * width + k] - mean) / std::sqrt(variance + 1e-5) * weight[k] + bias[k];
      result[row * width + k] = 0.5 * normal * (1 + std::erf(normal * std::sqrt(0.5))) * 1.2 + 0.1;
    }
  }
  return result;
}

template <class Space>
void lesson(Space, example::checker& check) {
  // "B" and "T" are any size, but the same size wherever they stand; 512 is known while compiling. A weight of 256, or
  // "B" and "T" in the wrong order, would be an error of the compiler.
  using batch = tn::basic_tensor<Space, float, "B", "T", 512>;
  using row = tn::basic_tensor<Space, float, 512>;
  auto values = example::random(64 * 128 * 512, 1, -2, 2), w = example::random(512, 2, 0.5, 1.5), b = example::random(512, 3);
  batch x(values, 64, 128);
  row weight(w), bias(b);

  static_assert(tn::launches(block, x, weight, bias) == 1);
  batch result = block(x, weight, bias);
  // The statistics of 512 values, then a handful of operators of a few roundings each.
  check.compare("gelu(layer_norm(x)) * 1.2 + 0.1", tn::to_vector(result), reference(values, w, b), 64 * example::rounding);
}

int main() {
  return example::run("layer norm and gelu", [](auto space, example::checker& check) { lesson(space, check); });
}
