// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sines and cosines of a block of elements: by a form that costs a third where all their
// arguments are near, which nearly all blocks' are. The form for every argument gives near ones the
// same bits.

#include "tenon/backend/cpu/vector_loop.hpp"

namespace tenon::cpu_backend {

template <class Op> struct near_form { static constexpr bool exists = false; };
#if !defined(__CUDA_ARCH__)  // nvcc's pass for the device has no functions of the host
template <> struct near_form<ops::sin> {
  static constexpr bool exists = true;
  static float eval(float x) { return math::host::sin_near(x); }
};
template <> struct near_form<ops::cos> {
  static constexpr bool exists = true;
  static float eval(float x) { return math::host::cos_near(x); }
};
#endif

// The operators of a sweep that have such a form.
template <class Program, int Phase, bool Stores> struct with_near_form {
  template <int K> static consteval bool is_one() {
    using I = typename program_traits<Program>::template at<K>;
    if constexpr (!near_form<typename I::op>::exists)
      return false;
    else
      return I::type == dtype::f32 &&
             tenon::detail::computed_of_element<Program, Phase, Stores>::holds(K);
  }
  template <int K> static constexpr bool holds = is_one<K>();
};
template <class Program, int Phase, bool Stores>
inline constexpr bool has_near_forms =
    holds_any<Program, with_near_form<Program, Phase, Stores>> && !may_throw<Program> &&
    !program_traits<Program>::has_scans && !program_traits<Program>::has_sorts;

// What is computed of an element for the arguments of these operators.
template <class Program, int Phase, bool Stores> struct computed_for_near {
  using traits = program_traits<Program>;
  struct table {
    bool needed[tenon::detail::at_least_one(traits::size)] = {};
  };
  static consteval table compute() {
    table t;
    for (int k = traits::size - 1; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      bool const is_root =
          tenon::detail::is_held<Program, with_near_form<Program, Phase, Stores>>(k);
      if (is_root || (t.needed[k] && i.where == place::element))
        for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
    }
    return t;
  }
  static constexpr table all = compute();
  static consteval bool holds(int k) {
    return all.needed[k] && traits::all[k].is_computed && traits::all[k].where == place::element;
  }
};

// @pre has_near_forms<Program, Phase, Stores>
template <class Program, int Phase, bool Stores> struct near_block {
  using given = with_near_form<Program, Phase, Stores>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> struct values_of { alignas(64) float at_element[block_size]; };
  template <class Sequence> struct file;
  template <int... K> struct file<std::integer_sequence<int, K...>> : values_of<K>... {};
  file<tenon::detail::held_sequence<Program, given>> values;

  // @pre count <= block_size
  near_block(frame<Program> const& around, block_addresses<Program, Phase, Stores>& addresses,
             int count) {
    int farthest = 0;  // magnitude, by its bits
    for_each_argument(around, addresses, count, [&](auto index, float x, int i) {
      constexpr int k = decltype(index)::value;
      int const magnitude = static_cast<int>(math::host::bits_of(x) & 0x7fffffffu);
      farthest = magnitude < farthest ? farthest : magnitude;
      static_cast<values_of<k>&>(values).at_element[i] = near_form<typename at<k>::op>::eval(x);
    });
    if (math::host::is_near(__builtin_bit_cast(float, farthest))) return;
    for_each_argument(around, addresses, count, [&](auto index, float x, int i) {
      constexpr int k = decltype(index)::value;
      static_cast<values_of<k>&>(values).at_element[i] = at<k>::op::eval(x);
    });
  }
  // Element i's values become those of their operators.
  void take(frame<Program> const& f, int i) const {
    visit_selected<Program, given>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      value_of<k>(f) = static_cast<values_of<k> const&>(values).at_element[i];
    });
  }
  // As evaluate_element, of element i.
  void evaluate(frame<Program> const& f, int i) const {
    take(f, i);
    evaluate_rest<Phase, Stores, given>(f);
  }

 private:
  // Calls visit(integral_constant<int, K>, argument, i) for each operator K of each element i.
  template <class Visit>
  [[gnu::always_inline]] static void for_each_argument(
      frame<Program> const& around, block_addresses<Program, Phase, Stores>& addresses, int count,
      Visit const& visit) {
    vector_loop<Program>(count, [&](int i) {
      registers<Program, place::element> element;
      frame<Program> const f{around.launch, around.row, element, around.total};
      read_element<Phase, Stores>(f, addresses, i);
      tenon::detail::compute(
          f, tenon::detail::held_sequence<Program, computed_for_near<Program, Phase, Stores>>{});
      visit_selected<Program, given>([&](auto selected) {
        visit(selected, value_of<at<decltype(selected)::value>::first_operand>(f), i);
      });
    });
  }
};

}  // namespace tenon::cpu_backend
