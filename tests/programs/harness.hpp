// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the generated translation units of a set of cases share: the arguments of one call, and the
// list of the lambdas.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tenon/tenon.hpp"

namespace programs {

namespace tn = tenon;

struct array {
  void* data = nullptr;  // in the default space
  std::vector<std::int64_t> extents, strides;
};

// The tensors of one run, typed by the generated code.
struct call {
  std::vector<array> inputs, outputs;

  template <class T, tn::extent... E> auto in(std::size_t k) const {
    return typed<T const, E...>(inputs[k]);
  }
  template <class T, tn::extent... E> auto out(std::size_t k) const {
    return typed<T, E...>(outputs[k]);
  }
  // Tensors: what they say of themselves while compiling is more than views do. @pre row-major
  template <class T, tn::extent... E> tn::tensor<T, E...> tensor(std::size_t k) const {
    auto result = tn::tensor<T, E...>::with_extents(in<T, E...>(k).extents());
    copy<T>(result.data(), inputs[k].data, result.size());
    return result;
  }
  template <class Result> void give(std::size_t k, Result const& result) const {
    copy<typename Result::element_type>(outputs[k].data, result.data(), result.size());
  }

 private:
  template <class T> static void copy(void* to, void const* from, std::int64_t elements) {
    if (elements)
      tn::space_traits<tn::default_space>::copy(to, from, elements * sizeof(T), tn::stream{});
  }
  template <class T, tn::extent... E> static tn::view<T, E...> typed(array const& a) {
    typename tn::view<T, E...>::extent_array extents{}, strides{};
    for (std::size_t i = 0; i < sizeof...(E); ++i) {
      extents[i] = a.extents[i];
      strides[i] = a.strides[i];
    }
    return tn::view<T, E...>::with_strides(static_cast<T*>(a.data), extents, strides);
  }
};

// Each generated file adds its lambdas to one list, found by the number that the plan of a run
// names them by.
struct entry {
  entry(int number, void (*run)(call const&)) : number(number), run(run), next(first) {
    first = this;
  }
  int number;
  void (*run)(call const&);
  entry const* next;
  inline static entry const* first = nullptr;
};

}  // namespace programs
