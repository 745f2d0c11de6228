// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tn::explain returns.

#include "tenon/core/text.hpp"

namespace tenon {

// What a call moves and computes, in one launch and operator by operator.
struct traffic {
  int launches = 1;                // none where no result has an element
  long long bytes_read = 0;        // every element that is needed, once
  long long bytes_written = 0;     // every element of the results, once
  long long bytes_read_again = 0;  // by later sweeps: from registers, caches or shared memory where they fit, else from memory
  int separate_launches = 0;       // one for each operator of the lambda
  long long separate_bytes = 0;    // each of them reads its operands and writes its result
  double issue_slots = 0;          // of the arithmetic in f32 on sm_90: op_info::cost times elements

  // What no way of computing the expression can go below.
  long long minimum_bytes() const { return bytes_read + bytes_written; }
};

// std::cout << tn::explain(f, x, y), or its parts and figures by themselves.
struct explanation {
  tenon::text heading;   // name, source line, arguments and results
  tenon::text graphs;    // as written, and after every pass that changed it
  tenon::text schedule;  // axis groups, phases, kernel family, configuration
  tenon::text costs;     // launches, bytes and arithmetic, and every slower path that is taken
  traffic cost;

  tenon::text text() const { return heading + '\n' + graphs + '\n' + schedule + '\n' + costs; }
  template <class String> requires detail::is_string<String>
  operator String() const { return text(); }
  // Any stream that takes a text; no stream header is included for it.
  template <class Stream> requires requires(Stream& out, tenon::text const& t) { out << t; }
  friend Stream& operator<<(Stream& out, explanation const& e) {
    out << e.text();
    return out;
  }
};

}  // namespace tenon
