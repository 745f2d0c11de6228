// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory spaces: the tags that a tensor type carries, and what a space must be able to do with
// bytes.

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "tenon/core/error.hpp"
#include "tenon/core/extents.hpp"
#include "tenon/tensor/large_pages.hpp"
#include "tenon/tensor/stream.hpp"

namespace tenon {

template <class Space, class T, extent... E> class basic_tensor;
template <class Space, class T, extent... E> class basic_view;

struct cpu {
  static constexpr const char* name = "cpu";
  template <class T, extent... E> using tensor = basic_tensor<cpu, T, E...>;
  template <class T, extent... E> using view = basic_view<cpu, T, E...>;
};
struct cuda {
  static constexpr const char* name = "cuda";
  template <class T, extent... E> using tensor = basic_tensor<cuda, T, E...>;
  template <class T, extent... E> using view = basic_view<cuda, T, E...>;
};

#if defined(__CUDACC__)
using default_space = cuda;
#else
using default_space = cpu;
#endif

// A piece of memory and what is needed to give it back.
struct memory_block {
  void* data = nullptr;  // null exactly when bytes is 0
  std::size_t bytes = 0;
  stream on = {};
  int device = 0;
};

// What a space provides:
//   memory_block allocate(std::size_t bytes, stream)            raises when there is not enough
//   void deallocate(memory_block const&) noexcept
//   void read(void* host, void const* source, bytes, stream)    returns when the host may use the
//   bytes void write(void* target, void const* host, bytes, stream)   returns when the host may
//   reuse its bytes void copy(void* target, void const* source, bytes, stream)  inside the space,
//   ordered by the stream
// The CUDA space is specialised in runtime/memory_cuda.hpp.
template <class Space> struct space_traits;

template <> struct space_traits<cpu> {
  static memory_block allocate(std::size_t bytes, stream on) {
    if (bytes == 0) return {.on = on};
    void* data = ::operator new(bytes, detail::host_alignment(bytes), std::nothrow);
    if (!data)
      raise({.operation = "tensor",
             .problem = to_string(bytes) + " bytes of cpu memory could not be allocated",
             .remedy = "free other tensors or use smaller extents"});
    detail::advise_large_pages(data, bytes);
    return {.data = data, .bytes = bytes, .on = on};
  }
  static void deallocate(memory_block const& block) noexcept {
    if (block.data) ::operator delete(block.data, detail::host_alignment(block.bytes));
  }
  static void copy(void* target, void const* source, std::size_t bytes, stream) {
    if (bytes) std::memmove(target, source, bytes);
  }
  static void read(void* host, void const* source, std::size_t bytes, stream on) {
    copy(host, source, bytes, on);
  }
  static void write(void* target, void const* host, std::size_t bytes, stream on) {
    copy(target, host, bytes, on);
  }
};

// Owns one block of a space.
template <class Space> class memory {
 public:
  memory() = default;
  memory(std::size_t bytes, stream on) : block_(space_traits<Space>::allocate(bytes, on)) {}
  memory(memory&& other) noexcept : block_(std::exchange(other.block_, {})) {}
  memory& operator=(memory&& other) noexcept {
    memory moved(std::move(other));  // so that a self-move keeps the block
    std::swap(block_, moved.block_);
    return *this;
  }
  ~memory() {
    if (block_.data) space_traits<Space>::deallocate(block_);
  }

  void* data() const { return block_.data; }
  memory_block const& block() const { return block_; }

 private:
  memory_block block_ = {};
};

}  // namespace tenon
