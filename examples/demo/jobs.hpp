// SPDX-License-Identifier: Apache-2.0
#pragma once
// The expressions of the demonstration: each in one launch, operator by operator, and as float64 loops.

#include "../support.hpp"

namespace demo {

namespace tn = tenon;
using example::matrix;

// --- one launch each --------------------------------------------------------------------------------------------
inline auto const scaled_relu = tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "scaled_relu");
inline auto const mean_of_sums = tn::compile([](auto x, auto y) {
  auto c = tn::relu((x + y) * 2.0f);
  return tn::mean(tn::sum(c, tn::axis<1>));
}, "mean_of_sums");
inline auto const wave = tn::compile([](auto x, auto) { return tn::sin(x) + tn::cos(x); }, "wave");
inline auto const row_softmax = tn::compile([](auto x, auto) { return tn::softmax(x, tn::axis<1>); }, "row_softmax");
inline auto const block = tn::compile([](auto x, auto) { return tn::gelu(tn::layer_norm(x, tn::axis<1>)) * 1.2f + 0.1f; }, "block");

// Bytes in, per image: how much ink the images of one digit hold, and how many images there are.
inline auto const ink_of_digit = tn::compile([](auto images, auto labels, auto digit) {
  auto is_digit = tn::cast<float>(labels == digit);
  return tn::outputs(tn::sum(tn::sum(tn::cast<float>(images), tn::axis<1>) * is_digit), tn::sum(is_digit));
}, "ink_of_digit");

// --- operator by operator: what a library without fusion launches -------------------------------------------------
namespace one {
inline auto const add = tn::compile([](auto x, auto y) { return x + y; });
inline auto const add_number = tn::compile([](auto x, auto a) { return x + a; });
inline auto const mul_number = tn::compile([](auto x, auto a) { return x * a; });
inline auto const relu = tn::compile([](auto x) { return tn::relu(x); });
inline auto const gelu = tn::compile([](auto x) { return tn::gelu(x); });
inline auto const sin = tn::compile([](auto x) { return tn::sin(x); });
inline auto const cos = tn::compile([](auto x) { return tn::cos(x); });
inline auto const exp = tn::compile([](auto x) { return tn::exp(x); });
inline auto const sum = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); });
inline auto const max = tn::compile([](auto x) { return tn::max(x, tn::axis<1>); });
inline auto const mean = tn::compile([](auto x) { return tn::mean(x); });
inline auto const layer_norm = tn::compile([](auto x) { return tn::layer_norm(x, tn::axis<1>); });
inline auto const sub_row = tn::compile([](auto x, auto row) { return x - tn::unsqueeze(row, tn::axis<1>); });
inline auto const div_row = tn::compile([](auto x, auto row) { return x / tn::unsqueeze(row, tn::axis<1>); });
}  // namespace one

// Intermediate results, allocated once: the way operator by operator pays for no allocation either.
template <class Space>
struct scratch {
  matrix<Space> a, b;
  tn::basic_tensor<Space, float, tn::dyn> row;
  tn::basic_tensor<Space, float> total;
  scratch(std::int64_t rows, std::int64_t columns) : a(rows, columns), b(rows, columns), row(rows) {}
};

// --- float64 loops over host values ---------------------------------------------------------------------------------
using numbers = std::vector<double>;
struct host_images {
  std::vector<float> x, y;
  std::size_t columns;
  std::size_t rows() const { return x.size() / columns; }
};

inline numbers scaled_relu_reference(host_images const& h) {
  numbers result;
  for (std::size_t k = 0; k < h.x.size(); ++k) result.push_back(std::max(0.0, (static_cast<double>(h.x[k]) + h.y[k]) * 2));
  return result;
}
inline numbers mean_of_sums_reference(host_images const& h) {
  double sum = 0;
  for (double c : scaled_relu_reference(h)) sum += c;
  return {sum / static_cast<double>(h.rows())};
}
inline numbers wave_reference(host_images const& h) {
  numbers result;
  for (double v : h.x) result.push_back(std::sin(v) + std::cos(v));
  return result;
}
inline numbers softmax_reference(host_images const& h) {
  numbers result;
  for (std::size_t r = 0; r < h.rows(); ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < h.columns; ++c) sum += std::exp(static_cast<double>(h.x[r * h.columns + c]));
    for (std::size_t c = 0; c < h.columns; ++c) result.push_back(std::exp(static_cast<double>(h.x[r * h.columns + c])) / sum);
  }
  return result;
}
inline numbers block_reference(host_images const& h) {
  numbers result;
  auto n = static_cast<double>(h.columns);
  for (std::size_t r = 0; r < h.rows(); ++r) {
    float const* row = &h.x[r * h.columns];
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < h.columns; ++c) mean += row[c] / n;
    for (std::size_t c = 0; c < h.columns; ++c) variance += (row[c] - mean) * (row[c] - mean) / n;
    for (std::size_t c = 0; c < h.columns; ++c) {
      double v = (row[c] - mean) / std::sqrt(variance + 1e-5);
      result.push_back(0.5 * v * (1 + std::erf(v * std::sqrt(0.5))) * 1.2 + 0.1);
    }
  }
  return result;
}

}  // namespace demo
