// SPDX-License-Identifier: Apache-2.0
// The instructions that the emulator knows. Branches (bra, brx) are the decoder's own.

#include "ptx/decode/instruction_table.hpp"

#include <unordered_map>

namespace emulator {

namespace {

constexpr auto always = waiting::always;

// clang-format off
constexpr instruction_row table[] = {
    {"abs", {decode_integer, decode_float, decode_half}},
    {"activemask", {decode_votes}, always},
    {"add", {decode_carry, decode_packed_integer, decode_integer, decode_float, decode_half}},
    {"addc", {decode_carry}},
    {"and", {decode_predicate, decode_integer}},
    {"applypriority", {decode_nothing}},
    {"atom", {decode_atomic}},
    {"bar", {decode_warp_barrier, decode_barrier}, always},
    {"barrier", {decode_cluster_barrier, decode_barrier}, always},
    {"bfe", {decode_bits}},
    {"bfi", {decode_bits}},
    {"bfind", {decode_bits}},
    {"bmsk", {decode_bits}},
    {"brev", {decode_bits}},
    {"brkpt", {decode_nothing}},
    {"call", {decode_call}, always},
    {"clz", {decode_bits}},
    {"cnot", {decode_integer}},
    {"copysign", {decode_float}},
    {"cos", {decode_float}},
    {"cp", {decode_bulk, decode_copy_async}},
    {"createpolicy", {decode_policy}},
    {"cvt", {decode_convert}},
    {"cvta", {decode_address_space}},
    {"discard", {decode_nothing}},
    {"div", {decode_integer, decode_float}},
    {"dp2a", {decode_packed_integer}},
    {"dp4a", {decode_packed_integer}},
    {"elect", {decode_votes}, always},
    {"ex2", {decode_float, decode_half}},
    {"exit", {decode_end}, always},
    {"fence", {decode_nothing}},
    {"fma", {decode_float, decode_half}},
    {"fns", {decode_bits}},
    {"getctarank", {decode_address_space}},
    {"griddepcontrol", {decode_grid}, always},
    {"isspacep", {decode_address_space}},
    {"ld", {decode_load_store}},
    {"ldu", {decode_load_store}},
    {"lg2", {decode_float}},
    {"lop3", {decode_shift}},
    {"mad", {decode_carry, decode_integer, decode_float, decode_half}},
    {"madc", {decode_carry}},
    {"mapa", {decode_address_space}},
    {"match", {decode_votes}, always},
    {"max", {decode_packed_integer, decode_integer, decode_float, decode_half}},
    {"mbarrier", {decode_mbarrier}, waiting::if_try_wait},
    {"membar", {decode_nothing}},
    {"min", {decode_packed_integer, decode_integer, decode_float, decode_half}},
    {"mov", {decode_predicate, decode_move}},
    {"mul", {decode_integer, decode_float, decode_half}},
    {"mul24", {decode_integer}},
    {"nanosleep", {decode_grid}, always},
    {"neg", {decode_integer, decode_float, decode_half}},
    {"not", {decode_predicate, decode_integer}},
    {"or", {decode_predicate, decode_integer}},
    {"pmevent", {decode_nothing}},
    {"popc", {decode_bits}},
    {"prefetch", {decode_nothing}},
    {"prefetchu", {decode_nothing}},
    {"prmt", {decode_shift}},
    {"rcp", {decode_float}},
    {"red", {decode_store_async, decode_atomic}},
    {"redux", {decode_votes}, always},
    {"rem", {decode_integer}},
    {"ret", {decode_end}, always},
    {"rsqrt", {decode_float}},
    {"sad", {decode_packed_integer}},
    {"selp", {decode_select}},
    {"set", {decode_compare}},
    {"setmaxnreg", {decode_nothing}},
    {"setp", {decode_compare}},
    {"shf", {decode_shift}},
    {"shfl", {decode_shuffle}, always},
    {"shl", {decode_shift}},
    {"shr", {decode_shift}},
    {"sin", {decode_float}},
    {"slct", {decode_select}},
    {"sqrt", {decode_float}},
    {"st", {decode_store_async, decode_load_store}},
    {"sub", {decode_carry, decode_integer, decode_float, decode_half}},
    {"subc", {decode_carry}},
    {"szext", {decode_bits}},
    {"tanh", {decode_float, decode_half}},
    {"testp", {decode_float}},
    {"trap", {decode_end}, always},
    {"vote", {decode_votes}, always},
    {"xor", {decode_predicate, decode_integer}},
};
// clang-format on

}  // namespace

instruction_row const* row_of(std::string_view name) {
  static auto const by_name = [] {
    std::unordered_map<std::string_view, instruction_row const*> rows;
    for (instruction_row const& row : table) rows[row.name] = &row;
    return rows;
  }();
  auto const found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool decode(instruction_row const& row, decoder& d, statement const& s) {
  for (instruction_decoder form : row.forms)
    if (form != nullptr && form(d, s)) return true;
  return false;
}

bool waits(instruction_row const& row, statement const& s) {
  return row.waits == waiting::always || (row.waits == waiting::if_try_wait && s.has("try_wait"));
}

}  // namespace emulator
