// SPDX-License-Identifier: Apache-2.0
// Fat binaries of programs -> their PTX, kernels and variables.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/kernels.hpp"

namespace emulator::runtime {

namespace {

std::vector<std::unique_ptr<binary>> binaries;
std::unordered_map<void const*, std::unique_ptr<function>> functions;  // by the host's address
std::set<function*> handles;
std::unordered_map<void const*, std::unique_ptr<variable>> variables;

constexpr int magic_of_wrapper = 0x466243b1;
constexpr unsigned magic_of_binary = 0xBA55ED50;
constexpr unsigned short kind_ptx = 1;

struct fat_header {
  unsigned magic;
  unsigned short version, header_bytes;
  unsigned long long bytes;
};
struct fat_entry {
  unsigned short kind, version;
  unsigned header_bytes;
  unsigned long long bytes;
  unsigned compressed_bytes, options_offset;
  unsigned short minor, major;
  unsigned arch, name_offset, name_bytes;
  unsigned long long flags, reserved, uncompressed_bytes;
};
struct fat_wrapper {
  int magic, version;
  char const* data;
  void* other;
};

// The last PTX that is in it.
binary* read(fat_wrapper const& from) {
  auto made = std::make_unique<binary>();
  auto const* header = reinterpret_cast<fat_header const*>(from.data);
  if (from.magic != magic_of_wrapper || header->magic != magic_of_binary) {
    std::fprintf(stderr, "emulator: not a fat binary\n");
    std::abort();
  }
  char const *at = from.data + header->header_bytes, *const end = at + header->bytes;
  while (at < end) {
    auto const* entry = reinterpret_cast<fat_entry const*>(at);
    char const* const payload = at + entry->header_bytes;
    if (entry->kind == kind_ptx) {
      if (::memmem(payload, std::min<unsigned long long>(entry->bytes, 4096), ".version", 8) ==
          nullptr) {
        std::fprintf(stderr, "emulator: the PTX is compressed; compile with -no-compress\n");
        std::abort();
      }
      made->text.assign(payload, ::strnlen(payload, entry->bytes));
      made->target = static_cast<int>(entry->arch);
    }
    at = payload + entry->bytes;
  }
  binaries.push_back(std::move(made));
  return binaries.back().get();
}

bool load(binary& b) {
  if (b.loaded) return true;
  if (b.is_broken || b.text.empty()) return false;
  try {
    b.loaded = load_module(b.text);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "emulator: PTX: %s\n", e.what());
    b.is_broken = true;
  }
  return b.loaded != nullptr;
}

}  // namespace

function* function_of(void const* p) {
  auto const found = functions.find(p);
  if (found != functions.end()) return found->second.get();
  function* const f = static_cast<function*>(const_cast<void*>(p));
  return handles.count(f) ? f : nullptr;
}
kernel* code_of(function& f) {
  if (f.code || !load(*f.of)) return f.code;
  try {
    f.code = find_kernel(*f.of->loaded, f.name);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "emulator: kernel %s: %s\n", f.name.c_str(), e.what());
  }
  return f.code;
}
variable* variable_of(void const* p) {
  auto const found = variables.find(p);
  if (found == variables.end()) return nullptr;
  variable& v = *found->second;
  if (!v.at && load(*v.of))
    v.at = static_cast<char*>(address_of_global(*v.of->loaded, v.name, &v.bytes));
  return v.at ? &v : nullptr;
}

bool variable_at(void const* p, std::size_t bytes) {
  for (auto const& [host, v] : variables)
    if (v->at && p >= v->at && static_cast<char const*>(p) + bytes <= v->at + v->bytes) return true;
  return false;
}
}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API void** __cudaRegisterFatBinary(void* wrapper) {
  lock guard(all);
  return reinterpret_cast<void**>(read(*static_cast<fat_wrapper const*>(wrapper)));
}
TENON_EMULATOR_API void __cudaRegisterFatBinaryEnd(void**) {}
TENON_EMULATOR_API void __cudaUnregisterFatBinary(void**) {}
TENON_EMULATOR_API char __cudaInitModule(void**) { return 1; }
TENON_EMULATOR_API void __cudaRegisterFunction(void** handle, char const* host, char*,
                                               char const* name, int, uint3*, uint3*, dim3*, dim3*,
                                               int*) {
  lock guard(all);
  auto& place = functions[host];
  if (place) return;
  place = std::make_unique<function>();
  place->of = reinterpret_cast<binary*>(handle);
  place->name = name;
  handles.insert(place.get());
}
TENON_EMULATOR_API void __cudaRegisterVar(void** handle, char* host, char*, char const* name, int,
                                          size_t bytes, int, int) {
  lock guard(all);
  auto made = std::make_unique<variable>();
  made->of = reinterpret_cast<binary*>(handle);
  made->name = name, made->bytes = bytes;
  variables[host] = std::move(made);
}
