// SPDX-License-Identifier: Apache-2.0
#pragma once
// One block's share of a result: it lists the updates of as many of its steps as fit the list, and
// its teams take them in, each those of its own place in every step.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/scatter/vector_worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, class Arguments> class scatter_share {
  using worker_type = scatter_vector_worker<Program, V, Arguments>;
  // Updates that a thread has under way, and how many steps further on it asks for what rows are
  // computed from.
  static constexpr int together = 4, steps_ahead = 4;

  worker_type& worker_;
  update_list& list_;
  scatter_shares const& shares_;
  unsigned const group_;
  int const lane_, team_;
  long long const other_;  // the first of this lane's elements along the other axes
  update_registers<Program>* const waiting_ =
      reinterpret_cast<update_registers<Program>*>(dynamic_shared());
  typename worker_type::taken_vector taken_;
  int listed_ = 0, waiting_from_ = 0, waiting_to_ = 0;  // entries

 public:
  __device__ __forceinline__ scatter_share(worker_type& worker, update_list& list, unsigned group,
                                           long long piece)
      : worker_(worker),
        list_(list),
        shares_(worker.a.shares),
        group_(group),
        lane_(static_cast<int>(threadIdx.x) & ((1 << shares_.log_lanes) - 1)),
        team_(static_cast<int>(threadIdx.x) >> shares_.log_lanes),
        other_(((piece << shares_.log_lanes) + lane_) * V) {
    worker.find_element(0, has_elements() ? other_ : 0);
  }

  // Lists the updates of as many steps at once as fit, and of a step of more those of as many
  // indices. @pre all threads call it
  __device__ __forceinline__ void run() {
    long long const size = worker_.a.columns.size;
    long long length = shares_.length;
    // Steps below `end` are known to have `left` updates.
    int end = 0;
    long long left = 0;
    for (int step = 0, span = shares_.span; step < shares_.steps;) {
      if (span > shares_.steps - step) span = shares_.steps - step;
      long long taken = 0;
      for (long long first = 0;;) {
        long long const count = length < size - first ? length : size - first;
        int const found = list_.collect(count, places{*this, first, step, span});
        if (found <= most_listed) {
          list_.arrange(found);
          listed_ = found, waiting_to_ = 0;
          take(first, step, span, first + count == size);
          first += count, taken += found;
          if (first == size) break;
          if (found <= most_listed / 4 && length <= most_indices / 2) length *= 2;
        } else if (span > 1) {
          if (step + span > end) end = step + span, left = found;
          span /= 2;
        } else {
          // Half of what fits, on average; of as many indices as fit, all do.
          length = count * (most_listed / 2) / found;
          if (length < most_listed) length = most_listed;
        }
      }
      step += span, left -= taken;
      if (taken <= most_listed / 2) {
        if (length >= size) span *= 2;
        length = size < most_indices ? size : most_indices;
      }
      if (step < end && length >= size) {
        bool const fits = left <= most_listed;
        if (fits || span > end - step) span = end - step;
      }
    }
  }

 private:
  __device__ __forceinline__ bool has_elements() const { return other_ < worker_.a.axes.others; }

  // Which of the units of a step is this group's: another in each step, so that targets at a
  // distance are not all one group's.
  __device__ __forceinline__ unsigned unit_in(int step) const {
    unsigned const turned =
        group_ + __umulhi(static_cast<unsigned>(step) * 0x9e3779b1u, shares_.groups);
    return turned >= shares_.groups ? turned - shares_.groups : turned;
  }
  __device__ __forceinline__ long long target_at(int step, int team) const {
    unsigned const unit = static_cast<unsigned>(step) * shares_.groups + unit_in(step);
    return (static_cast<long long>(unit) << shares_.log_teams) + team;
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
      scatter_shares const& s = share.shares_;
      long long const target = share.worker_.target_of(of);
      unsigned const unit = static_cast<unsigned>(target >> s.log_teams),
                     own = s.by_groups.quotient(unit);
      bool const is_inside = static_cast<unsigned long long>(target) <
                             static_cast<unsigned long long>(share.worker_.a.axes.targets);
      bool const is_own = unit - own * s.groups == share.unit_in(static_cast<int>(own)) &&
                          own - static_cast<unsigned>(step) < static_cast<unsigned>(span);
      int const team = static_cast<int>(target) & ((1 << s.log_teams) - 1);
      return is_inside && is_own ? share.place_of(static_cast<int>(own), team) : -1;
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
    return team_ < 1 << shares_.log_teams && target < worker_.a.axes.targets && has_elements();
  }

  // Takes in what is listed for steps [step, step + span) of the updates from `first` on, and with
  // the last of them ends the rows. @pre all threads call it
  __device__ __forceinline__ void take(long long first, int step, int span, bool is_last) {
    if (first == 0) worker_.clear(taken_);
    if (reads_directly())
      take_directly(first, step, step + span, is_last);
    else if constexpr (V == 1)
      take_from_shared(first, step, step + span, is_last);
  }
  __device__ __forceinline__ void end_row(int step) {
    long long const target = target_at(step, team_);
    ask_for_row(step + steps_ahead);
    if (is_row(target)) worker_.finish(taken_, target);
  }
  __device__ __forceinline__ void end_row_without_updates(int step) {
    long long const target = target_at(step, team_);
    ask_for_row(step + steps_ahead);
    if (!is_row(target)) return;
    typename worker_type::taken_vector none;
    worker_.clear(none);
    worker_.finish(none, target);
  }
  __device__ __forceinline__ void ask_for_row(int step) const {
    if constexpr (has_selected<Program, row_vectors<Program, V>>) {
      long long const target = target_at(step, team_);
      worker_.ask_for_row(target, is_row(target));
    }
  }

  // A team goes through its own entries: while it takes in one, and ends the rows before it, the
  // next ones are on their way. @post all rows before `end` have ended, if the updates have
  __device__ __forceinline__ void take_directly(long long first, int step, int end, bool is_last) {
    int k = list_.find(0, listed_, place_of(step, team_));
    int const to = list_.find(k, listed_, place_of(end, team_));
    typename worker_type::loaded_update loaded[together];
    auto const read = [&](int u, int entry) {
      bool const is_wanted = entry < to && has_elements();
      worker_.read_update(loaded[u], first + (is_wanted ? list_.number(entry) : 0), is_wanted);
    };
#pragma unroll
    for (int u = 0; u < together; ++u) read(u, k + u);
    for (; k < to; k += together)
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (k + u >= to) break;
        int const own = list_.place(k + u) - place_of(0, team_);
        if (step != own) {
          end_rows(step, own);
          worker_.clear(taken_);
          step = own;
        }
        worker_.lift_each(loaded[u], first + list_.number(k + u), [&](int i, auto const& update) {
          worker_.take_in(taken_.at[i], update);
        });
        read(u, k + u + together);
      }
    if (is_last) end_rows(step, end);
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
      if (first == 0) worker_.clear(taken_);
      int const place = place_of(step, team_),
                to = list_.find_near(k, listed_, place_of(step + 1, 0));
      while (k < to) {
        if (k >= waiting_to_) read_to_shared(first, k);
        int const here = to < waiting_to_ ? to : waiting_to_;
        for (k = list_.find(k, here, place); k < here && list_.place(k) == place; ++k)
          worker_.take_in(taken_.at[0],
                          waiting_[((k - waiting_from_) << shares_.log_lanes) + lane_]);
        k = here;
      }
      if (is_last) end_row(step);
    }
  }
  __device__ __forceinline__ void read_to_shared(long long first, int from) {
    waiting_from_ = from;
    waiting_to_ = from + (listed_threads >> shares_.log_lanes);
    if (waiting_to_ > listed_) waiting_to_ = listed_;
    __syncthreads();  // what waited was taken
    int const k = from + team_;
    if (k < waiting_to_ && has_elements()) {
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
