// SPDX-License-Identifier: Apache-2.0
#pragma once
// One vector of neighbouring elements, or one of either half of an axis, through a program that
// finds where they lie: read as a whole, then computed element by element.

#include "tenon/backend/cuda/moved/constant_filling.cuh"
#include "tenon/backend/cuda/moved/places.cuh"
#include "tenon/backend/cuda/moved/uneven_reads.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What is read of an item.
template <class Program, int V> struct moved_item {
  selected_registers<Program, moved_reads<Program, V>> first;
  selected_registers<Program, moved_reads<Program, V, moved_part::second>> second;

  template <moved_part Part> __device__ __forceinline__ auto& part() {
    if constexpr (Part == moved_part::first)
      return first;
    else
      return second;
  }
  // The vector of read K of either half, which the other one may have read.
  template <moved_part Part, int K> __device__ __forceinline__ auto const& vector() const {
    constexpr int other = half_values<Program>::template other<K>;
    constexpr moved_part across =
        Part == moved_part::first ? moved_part::second : moved_part::first;
    if constexpr (other >= 0)
      return vector<across, other>();
    else if constexpr (Part == moved_part::first || half_values<Program>::template is_common<K>)
      return read_register<K>(first);
    else
      return read_register<K>(second);
  }
  // @pre i is a constant after unrolling
  template <moved_part Part, int K> __device__ __forceinline__ auto element(int i) const {
    return vector<Part, K>().element(i);
  }
};

template <class Program, int V, int Of = V> struct moved_worker : moved_places<Program, V, Of> {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  using halves = half_values<Program>;
  using item_reads = moved_item<Program, V>;
  using wanted_stores = moved_stores<Program, V>;
  template <int K> using at = typename traits::template at<K>;
  using places = moved_places<Program, V, Of>;
  using places::a;
  using places::around;
  using places::digits;
  using places::places;

  // InFlight: items that are asked for together, single elements if there are several.
  template <int InFlight> __device__ __forceinline__ void finish() {
    this->find();
    if constexpr (!values::has_found) await_operands<Program>();
    if constexpr (InFlight > 1 && V > 1)
      finish_together<InFlight>();
    else if constexpr (InFlight > 1)
      finish_elements<InFlight>();
    else
      finish_vectors();
  }
  __device__ __forceinline__ void finish_vectors() {
    item_reads reads;
    fill_all(reads);
#pragma unroll 1
    for (int item = 0; item < a.items; ++item) {
      read_all(reads, item == 0);
      this->template advance<true>();
      if constexpr (!has_taps<Program>)
        if (item + 1 < a.items) ask();
      store_all_of(reads);
      this->template advance<false>();
    }
  }
  // All vectors of a thread, at most `Most`, are asked for before one of them is stored.
  template <int Most> __device__ __forceinline__ void finish_together() {
    item_reads reads[Most];
#pragma unroll
    for (int b = 0; b < Most; ++b) {
      fill_all(reads[b]);
      read_all(reads[b], true, b < a.items);
      this->template advance<true>();
    }
#pragma unroll
    for (int b = 0; b < Most; ++b) {
      store_all_of(reads[b], b < a.items);
      this->template advance<false>();
    }
  }
  // The last of them may be beyond the end of the axis that they are along. What is nowhere stays
  // as it is from the beginning.
  template <int InFlight> __device__ __forceinline__ void finish_elements() {
    item_reads reads[InFlight];
#pragma unroll
    for (int b = 0; b < InFlight; ++b) fill_all(reads[b]);
    int left =
        a.least_items + (this->shared_digit() < a.shared_extent - a.least_items * a.apart ? 1 : 0);
#pragma unroll 1
    for (int item = 0; item < a.items; item += InFlight, left -= InFlight) {
#pragma unroll
      for (int b = 0; b < InFlight; ++b) {
        for_each_part(
            [&](auto part) { read_part<decltype(part)::value>(reads[b], item == 0, b < left); });
        this->template advance<true>();
      }
#pragma unroll
      for (int b = 0; b < InFlight; ++b) {
        store_all_of(reads[b], b < left);
        this->template advance<false>();
      }
    }
  }
  // The vectors of all operands at this place; those that stay where they are have been read with
  // the first item.
  __device__ __forceinline__ void read_all(item_reads& reads, bool is_first,
                                           bool is_inside = true) const {
    for_each_part([&](auto part) { read_part<decltype(part)::value>(reads, is_first, is_inside); });
  }
  // What is nowhere stays like that.
  __device__ __forceinline__ void fill_all(item_reads& reads) const {
    for_each_part([&](auto part) { fill_part<decltype(part)::value>(reads); });
  }
  // An item comes to the cache while the one before it is computed; of taps most come for other
  // threads anyway. @pre the cursors have advanced
  __device__ __forceinline__ void ask() const {
    for_each_part([&](auto part) { ask_part<decltype(part)::value>(); });
  }
  // The stores of all elements, from what has been read.
  template <class Reads>
  __device__ __forceinline__ void store_all_of(Reads const& reads, bool is_inside = true) const {
    selected_registers<Program, wanted_stores> results[halves::parts];
#pragma unroll
    for (int i = 0; i < V; ++i)
      for_each_part([&](auto part) {
        constexpr moved_part p = decltype(part)::value;
        compute_stored<p>(results[static_cast<int>(p)], reads, i);
      });
    for_each_part([&](auto part) {
      constexpr moved_part p = decltype(part)::value;
      store_part<p>(results[static_cast<int>(p)], is_inside);
    });
  }

  // visit(integral_constant<moved_part, P>) for each vector of an item.
  template <class Visit> static __device__ __forceinline__ void for_each_part(Visit const& visit) {
    visit(std::integral_constant<moved_part, moved_part::first>{});
    if constexpr (halves::is_found) visit(std::integral_constant<moved_part, moved_part::second>{});
  }
  // What the reductions of a phase, or the stores, need of element i.
  template <moved_part Part, int Phase, bool Stores, class Reads>
  __device__ __forceinline__ void evaluate_at(frame<Program> const& f, Reads const& reads,
                                              int i) const {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::where == place::element && !I::is_store &&
                    element_needs<Program>::template at<Phase, Stores>.needed[k]) {
        constexpr moved_kind kind = values::template kind<k>;
        constexpr bool is_chosen = halves::template is_chosen<k>,
                       is_had = values::template reads<k> || halves::template other<k> >= 0;
        if constexpr (is_had && !is_chosen)
          value_of<k>(f) = static_cast<typename I::value_type>(reads.template element<Part, k>(i));
        else if constexpr (kind == moved_kind::number)
          value_of<k>(f) = static_cast<typename I::value_type>(this->template number<Part, k>());
        else if constexpr (kind == moved_kind::other || is_chosen)
          step<k>(f, typename I::operands{});
      }
    });
  }

 protected:
  template <moved_part Part, int K, class Parts>
  __device__ __forceinline__ void fill(Parts& to) const {
    if constexpr (!at<K>::is_load) repeat<V>(to, filling<Part, K, at<K>::type>());
  }
  // What stands for an element that is nowhere, as memory would hold it: a choice between
  // constants.
  template <moved_part Part, int K, dtype D>
  __device__ __forceinline__ packed<storage_t<D>, 1> filling() const {
    return filling_of_fetched<Program, K, D>(
        [&](auto k) { return this->template number<Part, decltype(k)::value>(); });
  }
  template <int K, class Parts>
  __device__ __forceinline__ void read(Parts& to, moved_cursor const& from, bool is_first,
                                       bool is_inside) const {
    using T = storage_t<at<K>::type>;
    auto const first = reinterpret_cast<T const*>(from.at);
    bool const is_wanted = (is_first || from.step != 0) && from.is_wanted;
    constexpr bool may_repeat = V > 1 && values::template may_repeat<K>,
                   may_lie_apart = V > 1 && values::template may_lie_apart<K>;
    int times = 1;
    if constexpr (may_repeat || may_lie_apart) times = a.times[values::template read_number<K>];
#pragma unroll
    for (int p = 0; p < V / Parts::width; ++p)
      load_packed<reuse::near>(to.at[p], first + p * Parts::width,
                               is_wanted && times == 1 && is_inside);
    if constexpr (may_repeat)
      if (times > 1 && is_wanted)
        read_repeated<V, values::template most_times<K>>(to, first, times);
    if constexpr (may_lie_apart)
      if (times < 0 && is_wanted && is_inside) read_apart<V>(to, first, -times);
  }

 private:
  template <moved_part Part>
  __device__ __forceinline__ void read_part(item_reads& reads, bool is_first,
                                            bool is_inside) const {
    for_each_selected<Program, moved_reads<Program, V, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read<k>(read_register<k>(reads.template part<Part>()), this->template cursor_of<Part, k>(),
              is_first, is_inside);
    });
  }
  template <moved_part Part> __device__ __forceinline__ void fill_part(item_reads& reads) const {
    for_each_selected<Program, moved_reads<Program, V, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      fill<Part, k>(read_register<k>(reads.template part<Part>()));
    });
  }
  template <moved_part Part> __device__ __forceinline__ void ask_part() const {
    for_each_selected<Program, moved_reads<Program, V, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      moved_cursor const from = this->template cursor_of<Part, k>();
      if constexpr (!at<k>::is_load)
        asm volatile(
            "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %1, 0;\n\t"
            "@wanted prefetch.global.L2::evict_last [%0];\n\t}" ::"l"(from.at),
            "r"(static_cast<unsigned>(from.step != 0 && from.is_wanted)));
    });
  }
  template <moved_part Part, class Reads>
  __device__ __forceinline__ void compute_stored(
      selected_registers<Program, wanted_stores>& results, Reads const& reads, int i) const {
    registers<Program, place::element> element;
    frame<Program> const f{around.launch, around.row, element, around.total};
    evaluate_at<Part, traits::row_phases + 1, true>(f, reads, i);
    for_each_selected<Program, wanted_stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(results).at[i] = value_of<at<k>::first_operand>(f);
    });
  }
  template <moved_part Part>
  __device__ __forceinline__ void store_part(
      selected_registers<Program, wanted_stores> const& results, bool is_inside) const {
    for_each_selected<Program, wanted_stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      moved_cursor const to = this->template cursor_of<Part, k>();
      store_packed(reinterpret_cast<T*>(to.at), pack<T>(read_register<k>(results).at),
                   to.is_wanted && is_inside, a.stored);
    });
  }
};

}  // namespace tenon::detail
#endif
