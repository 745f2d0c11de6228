// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton with values per row and per column: each row is swept once per phase; its last sweep
// stores elements and takes them into the columns.

#include "tenon/backend/cpu/ahead_block.hpp"
#include "tenon/backend/cpu/column_states.hpp"
#include "tenon/backend/cpu/rows.hpp"
#include "tenon/program/totals.hpp"

namespace tenon::cpu_backend {

// Up to block_size columns of one row, in the sweep after the last phase.
template <class Program>
[[gnu::flatten]] void take_block(
    registers<Program, place::launch> launch, registers<Program, place::row> row,
    block_addresses<Program, program_traits<Program>::row_phases + 1, true> addresses,
    long long begin, int count, column_states<Program>& columns) {
  constexpr int last = program_traits<Program>::row_phases + 1;
  registers<Program, place::total> no_total;
  registers<Program, place::element> none;
  ahead_block<Program, last, true> const ahead({launch, row, none, no_total}, addresses, count);
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    registers<Program, place::element> element;
    frame<Program> f{launch, row, element, no_total};
    for_each_block_operand<Program, last, true>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (!I::is_store)
        value_of<k>(f) = static_cast<typename I::value_type>(address_in<k>(addresses)[i]);
    });
    ahead.evaluate(f, i);
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      accumulate_operands<k>(f, columns.template innermost<k>()[begin + i],
                             typename program_traits<Program>::template at<k>::operands{});
    });
    for_each_block_operand<Program, last, true>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_store)
        store_value<k>(f, address_in<k>(addresses) + (I::is_window ? 0 : i));
    });
  }
}

// @pre layout.rows and layout.columns may be empty: a reduction of nothing is its identity
// @post every store is written; the bits of a column are a function of both sizes and its values
struct mixed {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> state = initial_state(c);
    long long const rows = c.layout.rows.size, columns = c.layout.columns.size;
    long long const parts = parts_of(rows, columns);
    buffer<column_states<Program>> of_columns(parts, column_states<Program>(columns));
    buffer<total_states<Program>> of_rows(parts);
    parallel_for(parts, [&](long long part) {
      of_rows[part] =
          run_part(c, state, rows * part / parts, rows * (part + 1) / parts, of_columns[part]);
    });
    total_states<Program> identity;
    set_identity(identity);
    totals<Program> total{combine_states{}};
    for (auto const& part : of_rows) total.push(part);
    for (long long step = 1; step < of_columns.size(); step *= 2)
      for (long long part = 0; part + step < of_columns.size(); part += 2 * step)
        of_columns[part].append(of_columns[part + step]);
    store_columns(c, state, of_columns[0], total);
    finish(total.result(identity), state.total);
    evaluate<place::total, 0, max_nodes>(state.values());
    store_values<place::total>(c, state);
    store_values<place::launch>(c, state);
  }

 private:
  template <class Program> using totals = pairwise<total_states<Program>, combine_states>;

  // Rows that one thread does: at least 64, and at most so many parts that their states stay few.
  static long long parts_of(long long rows, long long columns) {
    long long const most = columns > 0 ? (1ll << 22) / columns : 64;
    long long parts = rows / 64 < most ? rows / 64 : most;
    return parts < 1 ? 1 : parts > 64 ? 64 : parts;
  }

  template <int Phase, class Program>
  static void run_phases(call<Program> const& c, row_state<Program>& state) {
    if constexpr (Phase <= program_traits<Program>::row_phases) {
      finish(sweep<Phase, false>(c, state, false), state.row);
      evaluate<place::row, Phase, Phase>(state.values());
      run_phases<Phase + 1>(c, state);
    }
  }

  template <class Program>
  static total_states<Program> run_part(call<Program> const& c, row_state<Program> state,
                                        long long begin, long long end,
                                        column_states<Program>& of_columns) {
    constexpr int last = program_traits<Program>::row_phases + 1;
    total_states<Program> identity;
    set_identity(identity);
    totals<Program> total{combine_states{}};
    for (long long row = begin; row < end; ++row) {
      locate(c.layout.rows, row, state.where);
      load_values<place::row>(c, state);
      evaluate<place::row, 0, 0>(state.values());
      run_phases<1>(c, state);
      block_operands<Program, last, true> operands(c, state);
      for (long long done = 0; done < c.layout.columns.size; done += block_size) {
        long long const left = c.layout.columns.size - done;
        int const count = left < block_size ? static_cast<int>(left) : block_size;
        take_block<Program>(state.launch, state.row, operands.read(done, count), done, count,
                            of_columns);
        operands.write_back(done, count);
      }
      of_columns.after_row();
      store_values<place::row>(c, state);
      if constexpr (!total_states<Program>::is_empty) {
        total_states<Program> of_row = identity;
        accumulate_selected<tenon::detail::totals_of_rows<Program>>(state.values(), of_row);
        total.push(of_row);
      }
    }
    of_columns.finish();
    return total.result(identity);
  }

  template <class Program>
  static void store_columns(call<Program> const& c, row_state<Program>& state,
                            column_states<Program>& of_columns, totals<Program>& total) {
    coordinate where{};
    total_states<Program> identity;
    set_identity(identity);
    for (long long column = 0; column < c.layout.columns.size; ++column) {
      locate(c.layout.columns, column, where);
      of_columns.take(column, state.total);
      evaluate<place::column, 0, max_nodes>(state.values());
      visit_instructions<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = typename program_traits<Program>::template at<k>;
        if constexpr (I::is_store && I::where == place::column)
          static_cast<storage_t<I::type>*>(c.arguments.stores[I::bits])[offset_of(
              c.layout.columns, where, c.layout.stores[I::bits].column_strides)] =
              static_cast<storage_t<I::type>>(value_of<I::first_operand>(state.values()));
      });
      if constexpr (tenon::detail::has_column_totals<Program>) {
        total_states<Program> of_column = identity;
        accumulate_selected<tenon::detail::totals_of_columns<Program>>(state.values(), of_column);
        total.push(of_column);
      }
    }
  }
};

}  // namespace tenon::cpu_backend
