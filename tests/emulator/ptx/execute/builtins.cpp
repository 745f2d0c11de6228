// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc, free, memcpy, memset.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/checks/faults.hpp"
#include "ptx/execute/builtins.hpp"
#include "ptx/memory/access.hpp"

namespace emulator {

namespace {

std::string c_string(warp& w, unsigned l, std::uint64_t at) {
  std::string r;
  for (int n = 0; n < 4096; ++n) {
    char c = *resolve(w, l, at + n, 1, space::generic, false);
    if (c == 0) break;
    r += c;
  }
  return r;
}
void print(warp& w, unsigned l, std::uint64_t format, std::uint64_t arguments) {
  std::string f = c_string(w, l, format), out;
  for (std::size_t k = 0; k < f.size(); ++k) {
    if (f[k] != '%') {
      out += f[k];
      continue;
    }
    if (k + 1 < f.size() && f[k + 1] == '%') {
      out += '%';
      ++k;
      continue;
    }
    std::size_t e = k + 1;
    while (e < f.size() && std::strchr("-+ #0123456789.*hlLzjt", f[e])) ++e;
    char kind = f[e];
    std::string spec = f.substr(k, e - k);
    std::string plain;
    bool wide = false;
    for (char c : spec) {
      if (c == 'l' || c == 'z' || c == 'j' || c == 't')
        wide = true;
      else if (c != 'h' && c != 'L')
        plain += c;
    }
    char text[512];
    if (kind == 's' || kind == 'p' || std::strchr("fFeEgGaA", kind)) wide = true;
    unsigned bytes = wide ? 8 : 4;
    arguments = (arguments + bytes - 1) / bytes * bytes;
    std::uint64_t v = 0;
    std::memcpy(&v, resolve(w, l, arguments, bytes, space::generic, false), bytes);
    arguments += bytes;
    if (kind == 's')
      std::snprintf(text, sizeof text, (plain + "s").c_str(), c_string(w, l, v).c_str());
    else if (std::strchr("fFeEgGaA", kind)) {
      double d;
      std::memcpy(&d, &v, 8);
      std::snprintf(text, sizeof text, (plain + kind).c_str(), d);
    } else if (kind == 'p')
      std::snprintf(text, sizeof text, "%p", reinterpret_cast<void*>(v));
    else if (kind == 'd' || kind == 'i')
      std::snprintf(text, sizeof text, (plain + "lld").c_str(),
                    wide ? static_cast<long long>(v) : static_cast<long long>(static_cast<int>(v)));
    else
      std::snprintf(text, sizeof text, (plain + "ll" + kind).c_str(),
                    static_cast<unsigned long long>(v));
    out += text;
    k = e;
  }
  std::fputs(out.c_str(), stdout);
}

u64 argument(warp& w, call_plan const& plan, unsigned l, std::size_t n) {
  u64 value = 0;
  std::memcpy(&value, local_of(w, l) + w.frame + plan.arguments.at(n).offset,
              std::min<u32>(8, plan.arguments[n].size));
  return value;
}
void set_result(warp& w, call_plan const& plan, unsigned l, u64 value) {
  if (plan.results.empty()) return;
  std::memcpy(local_of(w, l) + w.frame + plan.results[0].offset, &value,
              std::min<u32>(8, plan.results[0].size));
}

void run_printf(warp& w, call_plan const& plan) {
  each_lane(w.mask, [&](unsigned l) {
    print(w, l, argument(w, plan, l, 0), argument(w, plan, l, 1));
    set_result(w, plan, l, 0);
  });
}
void run_assert(warp& w, call_plan const& plan) {
  unsigned const l = __builtin_ctz(w.mask);
  auto const text = [&](std::size_t n) { return c_string(w, l, argument(w, plan, l, n)); };
  fail(w, static_cast<int>(l),
       "assertion failed: " + text(0) + " (" + text(1) + ":" +
           std::to_string(argument(w, plan, l, 2) & 0xffffffffu) + ")");
}
void run_malloc(warp& w, call_plan const& plan) {
  each_lane(w.mask, [&](unsigned l) {
    std::size_t const bytes = argument(w, plan, l, 0);
    void* const at = std::malloc(bytes + 16);
    std::memset(at, 0xcd, bytes + 16);
    allocated(at, bytes);
    set_result(w, plan, l, reinterpret_cast<u64>(at));
  });
}
void run_free(warp& w, call_plan const& plan) {
  each_lane(w.mask, [&](unsigned l) {
    void* const at = reinterpret_cast<void*>(argument(w, plan, l, 0));
    if (at != nullptr) freed(at), std::free(at);
  });
}
char& byte_at(warp& w, unsigned l, u64 at, bool writes) {
  return *resolve(w, l, at, 1, space::generic, writes);
}
void run_memcpy(warp& w, call_plan const& plan) {
  each_lane(w.mask, [&](unsigned l) {
    u64 const to = argument(w, plan, l, 0), from = argument(w, plan, l, 1);
    std::vector<char> bytes(argument(w, plan, l, 2));
    for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = byte_at(w, l, from + b, false);
    for (std::size_t b = 0; b < bytes.size(); ++b) byte_at(w, l, to + b, true) = bytes[b];
    set_result(w, plan, l, to);
  });
}
void run_memset(warp& w, call_plan const& plan) {
  each_lane(w.mask, [&](unsigned l) {
    u64 const to = argument(w, plan, l, 0), n = argument(w, plan, l, 2);
    for (u64 b = 0; b < n; ++b)
      byte_at(w, l, to + b, true) = static_cast<char>(argument(w, plan, l, 1));
    set_result(w, plan, l, to);
  });
}

}  // namespace

builtin builtin_named(std::string const& name) {
  static std::unordered_map<std::string, builtin> const known = {
      {"vprintf", run_printf}, {"__assertfail", run_assert}, {"malloc", run_malloc},
      {"free", run_free},      {"memcpy", run_memcpy},       {"memmove", run_memcpy},
      {"memset", run_memset}};
  auto const found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

}  // namespace emulator
