// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands and outputs of the tests: elements in the default space under any strides, between
// poisoned neighbours.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/support/doubles.hpp"
#include "tenon/tenon.hpp"

namespace tn = tenon;

inline std::mt19937_64& generator() {
  static std::mt19937_64 engine = [] {
    constexpr unsigned seed = 20240229;
    std::printf("seed of the test's operands: %u\n", seed);
    return std::mt19937_64(seed);
  }();
  return engine;
}

template <class T> double as_double(T element) {
  if constexpr (tn::is_half(tn::dtype_of<T>))
    return static_cast<float>(element);
  else
    return static_cast<double>(element);
}
template <class T> T from_double(double number) {
  if constexpr (tn::is_half(tn::dtype_of<T>))
    return T(static_cast<float>(number));
  else if constexpr (std::is_same_v<T, bool>)
    return number != 0;
  else
    return static_cast<T>(number);
}

// How an array's elements lie in its memory. The three that repeat or share no element may be
// written.
enum class arrangement {
  contiguous,
  misaligned,  // row-major, one element after an aligned address
  transposed,  // the first axis is the fastest
  stepped,     // every second element of the last axis
  reversed,    // all strides negative
  padded,      // rows end with elements that belong to nobody
  repeated,    // the first axis has stride 0; of rank 1: all elements are one
};
inline constexpr arrangement writable_arrangements[] = {
    arrangement::contiguous, arrangement::misaligned, arrangement::transposed,
    arrangement::stepped,    arrangement::reversed,   arrangement::padded};
inline constexpr arrangement arrangements[] = {
    arrangement::contiguous, arrangement::misaligned, arrangement::transposed, arrangement::stepped,
    arrangement::reversed,   arrangement::padded,     arrangement::repeated};
inline std::string to_string(arrangement a) {
  constexpr const char* names[] = {"contiguous", "misaligned", "transposed", "stepped",
                                   "reversed",   "padded",     "repeated"};
  return names[static_cast<int>(a)];
}

namespace detail {
template <class T, std::size_t... I>
tn::view<T, (static_cast<void>(I), tn::dyn)...> view_of_rank(std::index_sequence<I...>);
}
// A view with run-time extents only: one type for all shapes, hence one kernel.
template <class T, int Rank>
using dyn_view = decltype(detail::view_of_rank<T>(std::make_index_sequence<Rank>{}));
template <int Rank> using extents_of_rank = typename dyn_view<float, Rank>::extent_array;

template <class T, int Rank> class array {
 public:
  using extent_array = extents_of_rank<Rank>;

  // Every byte is 0xFF: NaN, -1, and no bool.
  explicit array(extent_array const& extents, arrangement how = arrangement::contiguous)
      : extents_(extents), strides_(strides_for(extents, how)) {
    std::int64_t low = 0, high = 0;
    for (int axis = 0; axis < Rank; ++axis)
      if (extents[axis] > 1)
        (strides_[axis] < 0 ? low : high) += (extents[axis] - 1) * strides_[axis];
    // Neighbours keep the alignment of 16 bytes, except for the element that misaligned adds.
    first_ = (neighbours - low + 15) / 16 * 16 + (how == arrangement::misaligned);
    bytes_.assign(static_cast<std::size_t>(first_ + high + 1 + neighbours) * sizeof(T), poison);
    memory_ = tn::tensor<unsigned char, tn::dyn>(bytes_, static_cast<std::int64_t>(bytes_.size()));
  }
  array(extent_array const& extents, arrangement how, reference::doubles const& values)
      : array(extents, how) {
    set(values);
  }

  dyn_view<T, Rank> view() {
    return dyn_view<T, Rank>::with_strides(reinterpret_cast<T*>(memory_.data()) + first_, extents_,
                                           strides_);
  }
  T* data() { return reinterpret_cast<T*>(memory_.data()) + first_; }
  extent_array const& extents() const { return extents_; }
  std::int64_t size() const { return count_of_elements(extents_); }
  reference::shape shape() const { return reference::shape(extents_.begin(), extents_.end()); }

  void set(reference::doubles const& values) {
    for (std::int64_t i = 0; i < size(); ++i) {
      T const element = from_double<T>(values[i]);
      std::memcpy(&bytes_[byte_of(i)], &element, sizeof(T));
    }
    tn::space_traits<tn::default_space>::write(memory_.data(), bytes_.data(), bytes_.size(), {});
  }
  // What the array was set to, after rounding to T.
  reference::doubles values() const { return decoded(bytes_); }

  // What a kernel wrote; fails when it wrote beside the elements.
  reference::doubles result() const {
    std::vector<unsigned char> const found = contents();
    std::vector<unsigned char> outside = found;
    for (std::int64_t i = 0; i < size(); ++i) std::memset(&outside[byte_of(i)], poison, sizeof(T));
    EXPECT_EQ(outside, std::vector<unsigned char>(found.size(), poison))
        << "bytes beside the output were written";
    return decoded(found);
  }
  // The elements' bytes in row-major order, to compare results bit by bit.
  std::vector<unsigned char> bits() const {
    std::vector<unsigned char> const found = contents();
    std::vector<unsigned char> packed(static_cast<std::size_t>(size()) * sizeof(T));
    for (std::int64_t i = 0; i < size(); ++i)
      std::memcpy(&packed[static_cast<std::size_t>(i) * sizeof(T)], &found[byte_of(i)], sizeof(T));
    return packed;
  }

 private:
  static constexpr unsigned char poison = 0xFF;
  static constexpr std::int64_t neighbours = 32;

  static std::int64_t count_of_elements(extent_array const& extents) {
    std::int64_t count = 1;
    for (std::int64_t length : extents) count *= length;
    return count;
  }
  static extent_array strides_for(extent_array const& extents, arrangement how) {
    extent_array strides{};
    std::int64_t step = how == arrangement::stepped ? 2 : 1;
    for (int k = 0; k < Rank; ++k) {
      int const axis = how == arrangement::transposed ? k : Rank - 1 - k;
      strides[axis] = how == arrangement::reversed ? -step : step;
      step *= extents[axis] > 0 ? extents[axis] : 1;
      if (how == arrangement::padded) step += 3;
    }
    if constexpr (Rank > 0)
      if (how == arrangement::repeated) strides[0] = 0;
    return strides;
  }
  std::size_t byte_of(std::int64_t position) const {
    std::int64_t element = first_;
    for (int axis = Rank - 1; axis >= 0; --axis) {
      element += position % extents_[axis] * strides_[axis];
      position /= extents_[axis];
    }
    return static_cast<std::size_t>(element) * sizeof(T);
  }
  std::vector<unsigned char> contents() const {
    std::vector<unsigned char> found(bytes_.size());
    tn::space_traits<tn::default_space>::read(found.data(), memory_.data(), found.size(), {});
    return found;
  }
  reference::doubles decoded(std::vector<unsigned char> const& from) const {
    reference::doubles result(shape());
    for (std::int64_t i = 0; i < size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        unsigned char const byte = from[byte_of(i)];
        result[i] = byte <= 1 ? byte : std::numeric_limits<double>::quiet_NaN();
      } else {
        T element;
        std::memcpy(&element, &from[byte_of(i)], sizeof(T));
        result[i] = as_double(element);
      }
    }
    return result;
  }

  extent_array extents_, strides_;
  std::int64_t first_ = 0;
  std::vector<unsigned char> bytes_;
  tn::tensor<unsigned char, tn::dyn> memory_{0};
};

// Numbers in [low, high]; whole ones when the type is an integer.
template <class T>
reference::doubles random_doubles(reference::shape const& extents, double low = -3,
                                  double high = 3) {
  reference::doubles result(extents);
  std::uniform_real_distribution<double> distribution(low, high);
  for (double& value : result.values) {
    value = distribution(generator());
    if constexpr (std::is_same_v<T, bool>)
      value = value < (low + high) / 2;
    else if constexpr (std::is_integral_v<T>)
      value = std::floor(value);
  }
  return result;
}
template <class T, int Rank>
array<T, Rank> random_array(extents_of_rank<Rank> const& extents,
                            arrangement how = arrangement::contiguous, double low = -3,
                            double high = 3) {
  return {extents, how,
          random_doubles<T>(reference::shape(extents.begin(), extents.end()), low, high)};
}

// Whole numbers from 1 to 31, of which every dtype has sums exactly.
template <class T, int Rank>
array<T, Rank> whole_numbers(extents_of_rank<Rank> const& extents,
                             arrangement how = arrangement::contiguous) {
  reference::doubles values(reference::shape(extents.begin(), extents.end()));
  for (std::int64_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((i * 11 + i / 53) % 31 + 1);
  return {extents, how, values};
}

// The elements of a result that the library allocated.
template <class Tensor> reference::doubles result_of(Tensor const& tensor) {
  auto const host = tn::to<tn::cpu>(tensor);
  reference::doubles result(reference::shape(host.extents().begin(), host.extents().end()));
  for (std::int64_t i = 0; i < result.size(); ++i) result[i] = as_double(host.data()[i]);
  return result;
}
