// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments of one call → what the kernel takes of them, and the words by which calls of one
// expression and one list of types differ.

#include <cstdint>

#include "tenon/backend/arguments.hpp"
#include "tenon/runtime/argument.hpp"

namespace tenon::detail {

// Everything that a plan depends on beside the types. All keys of one cache have the same number of
// words.
struct plan_key {
  std::int64_t const* words;
  int count;

  // The sum of the products does not depend on the order they are made in: the processor makes them
  // side by side.
  std::uint64_t hash() const {
    std::uint64_t sum = 0, factor = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < count; ++k) {
      sum += static_cast<std::uint64_t>(words[k]) * factor;
      factor *= 0xd1342543de82ef95u;
    }
    return (sum ^ sum >> 32) * 0xff51afd7ed558ccdu;
  }
  bool operator==(plan_key const& other) const {
    std::int64_t differing = 0;
    for (int k = 0; k < count; ++k) differing |= words[k] ^ other.words[k];
    return differing == 0;
  }
};

// Words that tell the shapes of arguments of type T apart: what the type leaves open. A tensor's
// strides follow from its extents.
template <class T>
inline constexpr int shape_words = 0;
template <class Space, class T, extent... E>
inline constexpr int shape_words<basic_tensor<Space, T, E...>> =
    basic_tensor<Space, T, E...>::run_time_rank;
template <class Space, class T, extent... E>
inline constexpr int shape_words<basic_view<Space, T, E...>> =
    basic_view<Space, T, E...>::run_time_rank + static_cast<int>(sizeof...(E));

// One call. @pre add is called for every argument in order, then add_output for every output or for
// none. Words: device and whether outputs are given, alignments, then shapes; outputs, whose types
// the expression does not know, with all extents and strides.
template <int Inputs, int Outputs, int ShapeWords>
class call_operands {
  static constexpr int first_shape_word = 1 + (Inputs + Outputs + 15) / 16;

 public:
  void const* inputs[at_least_one(Inputs)];
  long long scalars[at_least_one(Inputs)];
  void* outputs[at_least_one(Outputs)];

  call_operands(int device, bool has_outputs) { words_[0] = device * 2 + has_outputs; }

  plan_key key() const { return {words_, first_shape_word + ShapeWords}; }

  template <class T>
  void add(T const& operand) {
    if constexpr (is_array_argument<T>) {
      inputs[input_count_++] = operand.data();
      add_alignment(operand.data());
      for (int k = 0; k < T::rank; ++k)
        if (!T::static_extents[static_cast<std::size_t>(k)].is_static()) push(operand.extent(k));
      if constexpr (is_view<T>)
        for (int k = 0; k < T::rank; ++k) push(operand.stride(k));
    } else if constexpr (std::is_arithmetic_v<T>) {
      scalars[input_count_++] =
          scalar_word(static_cast<arithmetic_t<number_dtype<T>()>>(operand));
    }
  }
  template <class View>
  void add_output(View const& target) {
    outputs[output_count_++] = target.data();
    add_alignment(target.data());
    for (int k = 0; k < View::rank; ++k) push(target.extent(k));
    for (int k = 0; k < View::rank; ++k) push(target.stride(k));
  }

 private:
  void push(std::int64_t word) { words_[first_shape_word + word_count_++] = word; }
  // Vector accesses are up to 16 bytes wide: four bits for each array.
  void add_alignment(void const* address) {
    std::uint64_t misalignment = reinterpret_cast<std::uintptr_t>(address) & 15u;
    words_[1 + array_count_ / 16] |=
        static_cast<std::int64_t>(misalignment << array_count_ % 16 * 4);
    ++array_count_;
  }

  std::int64_t words_[first_shape_word + ShapeWords] = {};
  int input_count_ = 0, output_count_ = 0, array_count_ = 0, word_count_ = 0;
};

}  // namespace tenon::detail
