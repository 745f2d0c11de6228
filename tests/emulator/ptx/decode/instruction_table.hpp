// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every instruction by its name: the decoders of its forms.

#include "ptx/decode/decoder.hpp"

namespace emulator {

// Emits the instruction; false where the form (its types and suffixes) is another decoder's, or
// nobody's.
using instruction_decoder = bool (*)(decoder&, statement const&);

// Arithmetic, logic and movement among registers.
bool decode_predicate(decoder&, statement const&);
bool decode_move(decoder&, statement const&);
bool decode_select(decoder&, statement const&);
bool decode_compare(decoder&, statement const&);
bool decode_shift(decoder&, statement const&);
bool decode_bits(decoder&, statement const&);
bool decode_integer(decoder&, statement const&);
bool decode_packed_integer(decoder&, statement const&);
bool decode_carry(decoder&, statement const&);
bool decode_float(decoder&, statement const&);
bool decode_half(decoder&, statement const&);
bool decode_convert(decoder&, statement const&);
// Memory.
bool decode_load_store(decoder&, statement const&);
bool decode_atomic(decoder&, statement const&);
bool decode_address_space(decoder&, statement const&);
bool decode_mbarrier(decoder&, statement const&);
bool decode_copy_async(decoder&, statement const&);
bool decode_bulk(decoder&, statement const&);
bool decode_store_async(decoder&, statement const&);
bool decode_policy(decoder&, statement const&);
// Control and synchronisation.
bool decode_end(decoder&, statement const&);
bool decode_call(decoder&, statement const&);
bool decode_warp_barrier(decoder&, statement const&);
bool decode_shuffle(decoder&, statement const&);
bool decode_votes(decoder&, statement const&);
bool decode_barrier(decoder&, statement const&);
bool decode_cluster_barrier(decoder&, statement const&);
bool decode_grid(decoder&, statement const&);
bool decode_nothing(decoder&, statement const&);

enum class waiting : std::uint8_t { never, always, if_try_wait };

struct instruction_row {
  std::string_view name;
  instruction_decoder forms[5];  // in the order they are asked; the rest is null
  waiting waits = waiting::never;
};

// Null where the emulator does not know the name.
instruction_row const* row_of(std::string_view name);
bool decode(instruction_row const& row, decoder& d, statement const& s);

// Its lanes may stop in it, or go elsewhere.
bool waits(instruction_row const& row, statement const& s);

}  // namespace emulator
