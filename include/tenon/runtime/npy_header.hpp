// SPDX-License-Identifier: Apache-2.0
#pragma once
// The header of a .npy file: its text -> element type, order and extents, and back.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/core/dtype.hpp"
#include "tenon/tensor/layout.hpp"

namespace tenon::detail {

struct npy_header {
  std::string descr = {};  // byte order, kind and bytes: "<f4"
  bool is_fortran_order = false;
  axis_list extents = {};
  int rank = 0;  // may exceed max_rank, and then extents are not all there
};

// NumPy has no bfloat16 and no float8: they are stored as raw bytes, which NumPy reads with
// .view(ml_dtypes.bfloat16).
constexpr std::string_view npy_kind(dtype type) {
  switch (type) {
    case dtype::boolean:
      return "b1";
    case dtype::u8:
      return "u1";
    case dtype::i8:
      return "i1";
    case dtype::u16:
      return "u2";
    case dtype::i16:
      return "i2";
    case dtype::u32:
      return "u4";
    case dtype::i32:
      return "i4";
    case dtype::u64:
      return "u8";
    case dtype::i64:
      return "i8";
    case dtype::f8_e4m3:
    case dtype::f8_e5m2:
      return "V1";
    case dtype::f16:
      return "f2";
    case dtype::bf16:
      return "V2";
    case dtype::f32:
      return "f4";
    case dtype::f64:
      return "f8";
  }
  return "";
}

inline std::string npy_descr(dtype type) {
  return std::string(size_of(type) == 1 ? "|" : "<") + std::string(npy_kind(type));
}

// Whether the file's descr holds elements of the type; sets is_swapped for big-endian ones.
constexpr bool npy_matches(std::string_view descr, dtype type, bool& is_swapped) {
  if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return false;
  is_swapped = descr[0] == '>' && size_of(type) > 1;
  std::string_view const kind = descr.substr(1);
  return kind == npy_kind(type) || (type == dtype::bf16 && kind == "u2") ||
         (is_float8(type) && kind == "u1");
}

// Walks the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class npy_parser {
 public:
  explicit npy_parser(std::string_view text) : rest_(text) {}

  // Empty when the text is not such a header.
  std::optional<npy_header> parse() {
    npy_header header;
    unsigned seen = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      std::optional<std::string_view> const key = quoted();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr") {
        std::optional<std::string_view> const descr = value();
        if (!descr) return std::nullopt;
        header.descr = std::string(*descr);
        seen |= 1;
      } else if (*key == "fortran_order") {
        header.is_fortran_order = take_word("True");
        if (!header.is_fortran_order && !take_word("False")) return std::nullopt;
        seen |= 2;
      } else if (*key == "shape") {
        if (!shape(header)) return std::nullopt;
        seen |= 4;
      } else {
        return std::nullopt;
      }
      take(',');
    }
    if (seen != 7) return std::nullopt;
    return header;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    std::size_t const end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view const inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  // A string, or a list of fields kept as its text so that the error can show it.
  std::optional<std::string_view> value() {
    skip_blanks();
    if (rest_.empty() || rest_[0] != '[') return quoted();
    std::size_t depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      depth += rest_[i] == '[' ? 1 : rest_[i] == ']' ? std::size_t(-1) : 0;
      if (depth != 0) continue;
      std::string_view const list = rest_.substr(0, i + 1);
      rest_.remove_prefix(i + 1);
      return list;
    }
    return std::nullopt;
  }
  bool shape(npy_header& header) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::int64_t extent = 0;
      skip_blanks();
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return false;
      for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1))
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, rest_[0] - '0', &extent))
          return false;
      take_word("L");  // Python 2 wrote long integers so
      if (header.rank < max_rank) header.extents.values[header.extents.count++] = extent;
      ++header.rank;
      if (!take(',') && (skip_blanks(), rest_.empty() || rest_[0] != ')')) return false;
    }
    return true;
  }

  std::string_view rest_;
};

// The dictionary of a header, without the magic bytes and the padding.
inline std::string npy_dictionary(dtype type, axis_list const& extents) {
  std::string text = "{'descr': '" + npy_descr(type) + "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < extents.count; ++i) text += (i ? ", " : "") + std::to_string(extents[i]);
  return text + (extents.count == 1 ? ",), }" : "), }");
}

}  // namespace tenon::detail
