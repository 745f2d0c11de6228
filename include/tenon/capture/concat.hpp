// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several values as one and back: concat, stack, split, chunk; they cost no kernel. An element of a concatenation reads the
// part that it is from, and nothing of the others.

#include "tenon/capture/outputs.hpp"
#include "tenon/capture/remap.hpp"
#include "tenon/capture/reshape.hpp"

namespace tenon {

template <long long... Lengths>
struct lengths_t {};
// The lengths of the parts that split makes: tn::split(x, tn::axis<0>, tn::lengths<2, 3>).
template <long long... Lengths>
inline constexpr lengths_t<Lengths...> lengths{};

namespace detail {

// Calls f(last, all but the last...).
template <class F, std::size_t... I, class... A>
constexpr auto with_last_first(F const& f, std::index_sequence<I...>, value_pack<A...> const& all) {
  return f(item<sizeof...(I)>(all), item<I>(all)...);
}

template <class T>
inline constexpr bool is_single_axis = false;
template <int Axis>
inline constexpr bool is_single_axis<axis_t<Axis>> = true;

struct concat_body {
  template <class... A>
  constexpr auto operator()(A const&... arguments) const {
    constexpr bool is_form = is_concat_form<A...>();
    static_assert(is_form, "tenon: concat: the arguments are not values of one rank and then one axis; write tn::concat(x, y, tn::axis<0>)");
    if constexpr (is_form)
      return with_last_first(joined{}, std::make_index_sequence<sizeof...(A) - 1>{}, value_pack<A...>(arguments...));
    else
      return refused{};
  }

 private:
  template <class... A>
  static constexpr bool is_concat_form() {
    if constexpr (sizeof...(A) < 2) {
      return false;
    } else {
      int ranks[] = {rank_of<A>()...};
      for (std::size_t k = 0; k + 1 < sizeof...(A); ++k)
        if (ranks[k] < 0 || ranks[k] != ranks[0]) return false;
      return ranks[sizeof...(A) - 1] == one_axis;
    }
  }
  static constexpr int one_axis = -1, neither = -2;
  template <class A>
  static constexpr int rank_of() {
    if constexpr (is_value<A>) return A::rank;
    else return is_single_axis<A> ? one_axis : neither;
  }
  struct joined {
    template <int Axis, class First, class... Rest>
    constexpr auto operator()(axis_t<Axis>, First const& first, Rest const&... rest) const {
      if constexpr (!check_axes<First::rank, Axis>()) {
        return refused{};
      } else {
        constexpr int axis = normalized(Axis, First::rank);
        constexpr extent length = [] {
          extent total = First::extents[axis];
          ((total = static_sum(total, Rest::extents[axis])), ...);
          return total;
        }();
        graph& g = *first.owner;
        dim total = dim_of(first, axis);
        ((total = g.dims.sum(total, dim_of(rest, axis))), ...);
        return part<axis>(positions<First::rank, axis, length>(g, total), first, rest...);
      }
    }
    // `from` counts from the beginning of `first`.
    template <int Axis, class From, class First, class... Rest>
    static constexpr auto part(From from, First const& first, Rest const&... rest) {
      auto here = take_inside(first, from, axis<Axis>);
      if constexpr (sizeof...(Rest) == 0) {
        return here;
      } else {
        auto length = length_of(first, Axis);
        return where(from < length, here, part<Axis>(from - length, rest...));
      }
    }
  };
};

struct stack_body {
  template <class... A>
  constexpr auto operator()(A const&... arguments) const {
    constexpr bool is_form = sizeof...(A) >= 2;
    static_assert(is_form, "tenon: stack: the arguments are not values and then one axis; write tn::stack(x, y, tn::axis<0>)");
    if constexpr (is_form)
      return with_last_first(stacked{}, std::make_index_sequence<sizeof...(A) - 1>{}, value_pack<A...>(arguments...));
    else
      return refused{};
  }

 private:
  struct stacked {
    template <class Axis, class... A>
    constexpr auto operator()(Axis along, A const&... values) const {
      return concat_body{}(unsqueeze(values, along)..., along);
    }
  };
};

struct split_body {
  template <dtype D, extent... E, int Axis, long long... Lengths>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis> along, lengths_t<Lengths...>) const {
    constexpr bool is_valid = ((Lengths >= 0) && ...);
    static_assert(is_valid, "tenon: split: a length is negative; give the length of each part");
    if constexpr (!is_valid) {
      return refused{};
    } else if constexpr (!check_axes<sizeof...(E), Axis>()) {
      return refused{};
    } else {
      constexpr int at = normalized(Axis, sizeof...(E));
      constexpr extent whole = value<D, E...>::extents[at];
      constexpr long long total = (0 + ... + Lengths);
      constexpr bool is_whole = !whole.is_static() || whole.size == total;
      static_assert(is_whole, "tenon: split: the lengths do not add up to that of the axis; give the length of each part, as tn::lengths<2, 3> of 5");
      if constexpr (!is_whole) {
        return refused{};
      } else {
        require_length(*x.owner, dim_of(x, at), total, "split");
        return parts<Lengths...>(x, along, std::index_sequence_for<ct_t<Lengths>...>{});
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: split: the arguments are not a value, one axis and lengths; write auto [a, b] = tn::split(x, tn::axis<0>, tn::lengths<2, 3>)");
    return refused{};
  }

 private:
  template <long long... Lengths>
  static constexpr long long start_of(std::size_t part) {
    long long const all[] = {Lengths..., 0};
    long long start = 0;
    for (std::size_t k = 0; k < part; ++k) start += all[k];
    return start;
  }
  template <long long... Lengths, class X, class Along, std::size_t... I>
  static constexpr auto parts(X const& x, Along along, std::index_sequence<I...>) {
    return outputs(slice(x, along, range<start_of<Lengths...>(I), start_of<Lengths...>(I + 1)>)...);
  }
};

struct chunk_body {
  template <dtype D, extent... E, int Axis, auto Count>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis> along, ct_t<Count>) const {
    if constexpr (!check_axes<sizeof...(E), Axis>()) {
      return refused{};
    } else {
      constexpr int at = normalized(Axis, sizeof...(E));
      constexpr extent length = value<D, E...>::extents[at];
      constexpr bool is_valid = Count >= 1 && (length.is_static() || sizeof...(E) < max_rank);
      static_assert(is_valid, "tenon: chunk: the number of parts is below 1, or the length is known at run time only and there are 8 axes; give another number, or use tn::split with lengths");
      if constexpr (!is_valid)
        return refused{};
      else if constexpr (length.is_static())
        return parts<(length.size + Count - 1) / Count>(x, along, std::make_index_sequence<Count>{});
      else
        return equal_parts<at>(x, std::make_index_sequence<Count>{});
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: chunk: the arguments are not a value, one axis and a number of parts; write auto [a, b] = tn::chunk(x, tn::axis<0>, tn::ct<2>)");
    return refused{};
  }

 private:
  template <long long Length, class X, class Along, std::size_t... I>
  static constexpr auto parts(X const& x, Along along, std::index_sequence<I...>) {
    return outputs(slice(x, along, range<static_cast<long long>(I) * Length, static_cast<long long>(I + 1) * Length>)...);
  }
  // Of a length that the call knows, and which is to be so many times that of a part: positions of an axis of parts.
  template <int Axis, class X, std::size_t... I>
  static constexpr auto equal_parts(X const& x, std::index_sequence<I...>) {
    graph& g = *x.owner;
    dim const count = g.dims.constant(sizeof...(I)), length = g.dims.quotient(dim_of(x, Axis), count);
    int const split = split_axis(g, x.id, Axis, count, length, "chunk");
    return outputs(equal_part<Axis, I>(x, split, length)...);
  }
  template <class X, int Axis>
  struct shape_of_part {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k < X::rank; ++k) result.push_back(k == Axis ? extent() : X::extents[k]);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
  template <int Axis, std::size_t Number, class X>
  static constexpr auto equal_part(X const& x, int split, dim length) {
    graph& g = *x.owner;
    attribute bounds;
    for (int k = 0; k <= X::rank; ++k)
      for (long long const bound : {k == Axis ? static_cast<long long>(Number) : 0ll, k == Axis ? static_cast<long long>(Number + 1) : static_cast<long long>(open_bound), 1ll})
        bounds.push_back(bound);
    dim_list dims = g[x.id].dims;
    dims[Axis] = length;
    return value_t<X::type, shape_of_part<X, Axis>>{&g, build::reshape(g, build::slice(g, split, bounds), dims)};
  }
};

}  // namespace detail

// concat(x, y, ..., axis): one after the other along the axis.
inline constexpr function<detail::concat_body> concat{};
// stack(x, y, ..., axis): along a new axis.
inline constexpr function<detail::stack_body> stack{};
// auto [a, b] = split(x, axis, tn::lengths<2, 3>): parts of these lengths, which add up to that of the axis.
inline constexpr function<detail::split_body> split{};
// auto [a, b] = chunk(x, axis, tn::ct<2>): so many parts of one length, the last one maybe shorter where the build knows it.
inline constexpr function<detail::chunk_body> chunk{};

}  // namespace tenon
