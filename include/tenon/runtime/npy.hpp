// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's .npy files: load_npy makes a tensor in host memory of one, save_npy writes a tensor or
// view.

#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tenon/runtime/copy.hpp"
#include "tenon/runtime/npy_header.hpp"

namespace tenon {
namespace detail {

static_assert(std::endian::native == std::endian::little,
              "tenon: npy: the host is big-endian; this is not supported");

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

[[noreturn]] inline void raise_npy(const char* operation, std::string const& path,
                                   std::string const& problem, std::string const& remedy,
                                   std::string shapes = {}) {
  raise({.operation = operation,
         .problem = "'" + path + "' " + problem,
         .remedy = remedy,
         .shapes = std::move(shapes)});
}

inline file_handle open_npy(const char* operation, std::string const& path, const char* mode) {
  file_handle file(std::fopen(path.c_str(), mode));
  if (!file)
    raise_npy(operation, path, "could not be opened", "check the path and the permissions");
  return file;
}

// Leaves the file at its first element.
inline npy_header read_npy_header(std::FILE* file, std::string const& path) {
  auto read = [&](void* target, std::size_t bytes) {
    if (std::fread(target, 1, bytes, file) != bytes)
      raise_npy("load_npy", path, "ends inside its header",
                "the file is truncated; write it again");
  };
  unsigned char start[8];
  read(start, sizeof(start));
  if (std::memcmp(start, "\x93NUMPY", 6) != 0)
    raise_npy("load_npy", path, "is not a .npy file", "write it with numpy.save or tn::save_npy");
  int const version = start[6];
  if (version < 1 || version > 3)
    raise_npy("load_npy", path, "has format version " + std::to_string(version),
              "versions 1 to 3 are supported");
  unsigned char length_bytes[4] = {};
  read(length_bytes, version == 1 ? 2 : 4);
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | length_bytes[i];
  constexpr std::size_t longest_header =
      1 << 16;  // what version 1 can express; longer ones name record fields
  if (length > longest_header)
    raise_npy("load_npy", path, "has a header of " + std::to_string(length) + " bytes",
              "arrays of numbers have short headers; save one array of one element type");
  std::string text(length, '\0');
  read(text.data(), length);
  std::optional<npy_header> header = npy_parser(text).parse();
  if (!header)
    raise_npy("load_npy", path, "has a header that cannot be read: " + text,
              "write the file again");
  return *header;
}

inline void swap_bytes(unsigned char* data, std::int64_t count, int element_bytes) {
  for (std::int64_t i = 0; i < count; ++i)
    for (int low = 0, high = element_bytes - 1; low < high; ++low, --high)
      std::swap(data[i * element_bytes + low], data[i * element_bytes + high]);
}

}  // namespace detail

// Reads an array of the element type and rank of the type asked for:
//   auto images = tn::load_npy<float, tn::dyn, 64>("digits.npy");
// Big-endian and Fortran-ordered files are converted; bfloat16 is read from two-byte void or
// unsigned elements.
template <class T, extent... E> cpu::tensor<T, E...> load_npy(std::string const& path) {
  constexpr dtype type = dtype_of<T>;
  constexpr int rank = sizeof...(E), bytes = size_of(type);
  detail::file_handle const file = detail::open_npy("load_npy", path, "rb");
  detail::npy_header const header = detail::read_npy_header(file.get(), path);
  bool is_swapped = false;
  if (!detail::npy_matches(header.descr, type, is_swapped))
    detail::raise_npy("load_npy", path,
                      "has elements of type " + header.descr + ", not " + detail::npy_descr(type),
                      "load it with its own element type, or save it with astype");
  if (header.rank != rank)
    detail::raise_npy("load_npy", path,
                      "has rank " + std::to_string(header.rank) + ", not " + std::to_string(rank),
                      "give one extent for each axis, tn::dyn where any length will do",
                      to_string(header.extents));
  typename cpu::tensor<T, E...>::extent_array extents{};
  for (int i = 0; i < rank; ++i) extents[i] = header.extents[i];
  detail::axes<E...>::check("load_npy", extents, bytes, ("'" + path + "': ").c_str());

  auto result = cpu::tensor<T, E...>::with_extents(extents);
  std::int64_t const count = result.size();
  std::size_t const present = count ? std::fread(result.data(), static_cast<std::size_t>(bytes),
                                                 static_cast<std::size_t>(count), file.get())
                                    : 0;
  if (present != static_cast<std::size_t>(count))
    detail::raise_npy("load_npy", path,
                      "holds " + std::to_string(present) + " of the " + std::to_string(count) +
                          " elements of " + to_string(header.extents),
                      "the file is truncated; write it again", to_string(header.extents));
  unsigned char* const raw = reinterpret_cast<unsigned char*>(result.data());
  if (is_swapped) detail::swap_bytes(raw, count, bytes);
  if constexpr (type == dtype::boolean)  // a bool must be 0 or 1, whatever the file says
    for (std::int64_t i = 0; i < count; ++i) raw[i] = raw[i] != 0;
  if (!header.is_fortran_order) return result;

  auto in_order = cpu::tensor<T, E...>::with_extents(extents);
  typename cpu::tensor<T, E...>::extent_array strides{};
  std::int64_t stride = 1;
  for (int i = 0; i < rank; ++i) stride *= (strides[i] = stride, extents[i]);
  copy(in_order, cpu::view<T, E...>::with_strides(result.data(), extents, strides));
  return in_order;
}

// Writes a tensor or view of any space and strides in row-major order, as format version 1.
template <class Source> void save_npy(std::string const& path, Source const& source) {
  auto const view = detail::as_view(source);
  using element = std::remove_cv_t<typename decltype(view)::element_type>;
  auto const host = to<cpu>(view);
  std::string dictionary = detail::npy_dictionary(dtype_of<element>, extents_of(host.layout()));
  // Magic, version and length take 10 bytes; the elements begin at a multiple of 64 after a line
  // end.
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(dictionary.size() & 0xff);
  start += static_cast<char>(dictionary.size() >> 8);
  start += dictionary;

  detail::file_handle file = detail::open_npy("save_npy", path, "wb");
  std::size_t const bytes = static_cast<std::size_t>(host.size() * size_of(dtype_of<element>));
  bool is_written = std::fwrite(start.data(), 1, start.size(), file.get()) == start.size();
  is_written =
      is_written && (bytes == 0 || std::fwrite(host.data(), 1, bytes, file.get()) == bytes);
  is_written = std::fclose(file.release()) == 0 && is_written;
  if (!is_written)
    detail::raise_npy("save_npy", path, "could not be written whole",
                      "check the space on the disk");
}

}  // namespace tenon
