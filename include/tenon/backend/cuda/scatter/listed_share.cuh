// SPDX-License-Identifier: Apache-2.0
#pragma once
// One block's share of a result: it lists the updates of as many of its steps as fit the list, and
// its teams take them in, each those of its own place in every step.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/scatter/row_parts.cuh"
#include "tenon/backend/cuda/scatter/row_places.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, class Arguments> class scatter_share {
  using worker_type = scatter_vector_worker<Program, V, Arguments>;
  using parts_type = row_parts<Program, V, Arguments>;
  // Updates that a thread has under way, and how many steps further on it asks for what rows are
  // computed from.
  static constexpr int together = 4, steps_ahead = 4;
  static constexpr int most_counted = 1 << 30;  // of more updates it is not known how many

  worker_type& worker_;
  update_list& list_;
  scatter_shares const& shares_;
  row_places const rows_;
  bool const has_elements_;  // along the other axes
  update_registers<Program>* const waiting_ =
      reinterpret_cast<update_registers<Program>*>(dynamic_shared());
  typename worker_type::taken_vector taken_;
  unsigned count_ = 0;                                  // of updates in it
  int listed_ = 0, waiting_from_ = 0, waiting_to_ = 0;  // entries

 public:
  __device__ __forceinline__ scatter_share(worker_type& worker, update_list& list, unsigned group,
                                           long long piece)
      : worker_(worker),
        list_(list),
        shares_(worker.a.shares),
        rows_{shares_, group},
        has_elements_(first_other(piece) < worker.a.axes.others) {
    worker.find_element(0, has_elements_ ? first_other(piece) : 0);
  }

  // Lists the updates of as many steps at once as fit, and of a step of more those of as many
  // indices. @pre all threads call it
  __device__ __forceinline__ void run() {
    long long const size = worker_.a.columns.size;
    // Steps below `end` are known to have `left` updates.
    int end = 0, left = 0;
    for (int step = 0, span = shares_.span; step < shares_.steps;) {
      if (span > shares_.steps - step) span = shares_.steps - step;
      long long first = 0;
      int taken = 0;
      do {
        long long const count = size - first < most_indices ? size - first : most_indices;
        update_list::found const found =
            list_.collect(static_cast<int>(count), span == 1, places{*this, first, step, span});
        taken += found.updates < most_counted - taken ? found.updates : most_counted - taken;
        if (found.updates > most_listed) break;
        list_.arrange(found.updates, shares_.bits);
        listed_ = found.updates, waiting_to_ = 0;
        take(first, step, span, first + found.indices == size);
        first += found.indices;
      } while (first < size);
      if (first < size) {
        if (step + span > end) end = step + span, left = taken;
        // Half of what fits, if they are spread evenly.
        int const fitting = static_cast<int>(span * (most_listed / 2ll) / taken);
        span = fitting < 1 ? 1 : fitting < span / 2 ? fitting : span / 2;
        continue;
      }
      step += span, left -= taken;
      if (taken <= most_listed / 2 && size <= most_indices) span *= 2;
      if (step < end) {
        bool const fits = left <= most_listed;
        if (fits || span > end - step) span = end - step;
      }
    }
  }

 private:
  __device__ __forceinline__ int lane() const {
    return static_cast<int>(threadIdx.x) & ((1 << shares_.log_lanes) - 1);
  }
  __device__ __forceinline__ int team() const {
    return static_cast<int>(threadIdx.x) >> shares_.log_lanes;
  }
  __device__ __forceinline__ long long first_other(long long piece) const {
    return ((piece << shares_.log_lanes) + lane()) * V;
  }

  // The place of an update among those of steps [step, step + span): step and team.
  struct places {
    using read_values = registers<Program, place::element>;
    scatter_share const& share;
    long long const first;
    int const step, span;

    __device__ __forceinline__ void read(read_values& to, int number) const {
      share.worker_.template read_part<update_part::target>(to, first + number);
    }
    __device__ __forceinline__ int place(read_values& of) const {
      long long const target = share.worker_.target_of(of);
      row_places::place const found = share.rows_.of(target);
      bool const is_inside = static_cast<unsigned long long>(target) <
                             static_cast<unsigned long long>(share.worker_.a.axes.targets);
      bool const is_own =
          found.is_own && static_cast<unsigned>(found.step - step) < static_cast<unsigned>(span);
      return is_inside && is_own ? share.place_of(found.step, found.team) : -1;
    }
  };
  // In the order in which updates are taken in: where each team reads its own, a team's are
  // neighbours, else a step's are.
  __device__ __forceinline__ int place_of(int step, int team) const {
    return reads_directly() ? team * shares_.steps + step : step << shares_.log_teams | team;
  }
  // Fewer lanes read less at once than threads that share what they read.
  __device__ __forceinline__ bool reads_directly() const {
    return V > 1 || shares_.log_lanes >= log_least_lanes;
  }
  __device__ __forceinline__ bool is_row(long long target) const {
    return team() < 1 << shares_.log_teams && target < worker_.a.axes.targets && has_elements_;
  }

  // Takes in what is listed for steps [step, step + span) of the updates from `first` on, and with
  // the last of them ends the rows. @pre all threads call it
  __device__ __forceinline__ void take(long long first, int step, int span, bool is_last) {
    if (first == 0) begin_row();
    if (reads_directly())
      take_directly(first, step, step + span, is_last);
    else if constexpr (V == 1)
      take_from_shared(first, step, step + span, is_last);
  }
  __device__ __forceinline__ void begin_row() {
    worker_.clear(taken_);
    count_ = 0;
  }
  __device__ __forceinline__ void end_row(int step) {
    long long const target = rows_.target_at(step, team());
    ask_for_row(step + steps_ahead);
    worker_.end_some(taken_);
    worker_.end_part(taken_);
    if (is_row(target)) worker_.finish(taken_, target);
  }
  __device__ __forceinline__ void end_row_without_updates(int step) {
    long long const target = rows_.target_at(step, team());
    ask_for_row(step + steps_ahead);
    if (!is_row(target)) return;
    typename worker_type::taken_vector none;
    worker_.clear(none);
    worker_.finish(none, target);
  }
  __device__ __forceinline__ void ask_for_row(int step) const {
    if constexpr (has_selected<Program, row_vectors<Program, V>>) {
      long long const target = rows_.target_at(step, team());
      worker_.ask_for_row(target, is_row(target));
    }
  }

  // A team goes through its own entries. Parts of rows that many updates name are combined by all
  // teams, as many at once as memory holds.
  // @post all rows before `end` have ended, if the updates have
  __device__ __forceinline__ void take_directly(long long first, int step, int end, bool is_last) {
    parts_type parts(worker_, list_, waiting_);
    bool const has_parts = parts.can_be && shares_.parts > 0 && list_.has_many(listed_, parts.many);
    int k = list_.find(0, listed_, place_of(step, team()));
    int const to = list_.find(k, listed_, place_of(end, team()));
    int combined = 0;
    for (;;) {
      if constexpr (parts.can_be)
        if (has_parts) combine_parts(parts, first, combined);
      walk(parts, has_parts, combined, first, step, k, to);
      combined += parts.entries();
      if (!has_parts || combined >= listed_) break;
      __syncthreads();  // the parts have been taken in
    }
    if (is_last) end_rows(step, end);
  }
  // While a team takes in one update, and ends the rows before it, the next ones are on their way.
  // @post k is `to`, or a part begins with it that has not been combined
  __device__ __forceinline__ void walk(parts_type const& parts, bool has_parts, int combined,
                                       long long first, int& step, int& k, int to) {
    typename worker_type::loaded_update loaded[together];
    int entries[together];
    int ahead = k;
    unsigned ahead_of_row = count_;  // its number in its row, but for whole parts
    auto const read_next = [&](int u) {
      if (parts.can_be && has_parts) {
        if (ahead > k && ahead < to && list_.place(ahead) != list_.place(ahead - 1))
          ahead_of_row = 0;
        while (ahead_of_row % updates_of_part == 0 && parts.begins(ahead, to))
          ahead += updates_of_part;
        ++ahead_of_row;
      }
      bool const is_wanted = ahead < to && has_elements_;
      worker_.read_update(loaded[u], first + (is_wanted ? list_.number(ahead) : 0), is_wanted);
      entries[u] = ahead++;
    };
#pragma unroll
    for (int u = 0; u < together; ++u) read_next(u);
    while (k < to)
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if constexpr (parts.can_be)
          for (; k < entries[u] && k < to; k += updates_of_part) {
            go_on(step, k);
            if (!parts.has(k, combined)) return;
            parts.take_in(taken_, k, combined);
          }
        if (k >= to) return;
        go_on(step, k);
        take_in_one(loaded[u], first + list_.number(k));
        ++k;
        read_next(u);
      }
  }
  // To the row that entry k is for.
  __device__ __forceinline__ void go_on(int& step, int k) {
    int const own = list_.place(k) - place_of(0, team());
    if (step == own) return;
    end_rows(step, own);
    begin_row();
    step = own;
  }
  __device__ __forceinline__ void take_in_one(typename worker_type::loaded_update const& loaded,
                                              long long number) {
    worker_.take_in_some(taken_, loaded, number, ++count_);
    if (count_ % updates_of_part == 0) worker_.end_part(taken_);
  }
  __device__ __forceinline__ void combine_parts(parts_type& parts, long long first, int from) {
    __shared__ int before[listed_threads >> log_least_lanes];
    if (from == 0) {
      if (lane() == 0) before[team()] = static_cast<int>(count_ % updates_of_part);
      __syncthreads();
    }
    // Updates came before these only where a step is listed alone.
    parts.combine(first, from, listed_, has_elements_,
                  [&](int place) { return first > 0 ? before[place / shares_.steps] : 0; });
  }
  // That of step `from` has taken its updates in; the others before `to` have none.
  __device__ __forceinline__ void end_rows(int from, int to) {
    end_row(from);
#pragma unroll 1
    for (int step = from + 1; step < to; ++step) end_row_without_updates(step);
  }

  // All threads read, for whatever place; then each one takes in what is for its own.
  __device__ __forceinline__ void take_from_shared(long long first, int step, int end,
                                                   bool is_last) {
    for (int k = 0; step < end; ++step) {
      if (first == 0) begin_row();
      int const place = place_of(step, team()),
                to = list_.find_near(k, listed_, place_of(step + 1, 0));
      while (k < to) {
        if (k >= waiting_to_) read_to_shared(first, k);
        int const here = to < waiting_to_ ? to : waiting_to_;
        for (k = list_.find(k, here, place); k < here && list_.place(k) == place; ++k)
          take_in_waiting(waiting_[((k - waiting_from_) << shares_.log_lanes) + lane()]);
        k = here;
      }
      if (is_last) end_row(step);
    }
  }
  __device__ __forceinline__ void take_in_waiting(update_registers<Program> const& update) {
    worker_.take_in(taken_.at[0], update);
    ++count_;
    if (count_ % updates_of_some == 0) worker_.end_some(taken_);
    if (count_ % updates_of_part == 0) worker_.end_part(taken_);
  }
  __device__ __forceinline__ void read_to_shared(long long first, int from) {
    waiting_from_ = from;
    waiting_to_ = from + (listed_threads >> shares_.log_lanes);
    if (waiting_to_ > listed_) waiting_to_ = listed_;
    __syncthreads();  // what waited was taken
    int const k = from + team();
    if (k < waiting_to_ && has_elements_) {
      long long const number = first + list_.number(k);
      typename worker_type::loaded_update loaded;
      worker_.read_update(loaded, number, true);
      worker_.lift_each(loaded, number, [&](int, auto const& update) {
        waiting_[static_cast<int>(threadIdx.x)] = update;
      });
    }
    __syncthreads();
  }
};

}  // namespace tenon::detail
#endif
