// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one exception type: what went wrong at run time, as one sentence and as separate fields.

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include "tenon/core/atomic.hpp"

namespace tenon {

// Everything that is known about a fault; a field that does not apply stays empty.
struct error_details {
  std::string operation = {};     // "copy", "tensor", "launch", an operator's name
  std::string problem = {};       // what is wrong
  std::string remedy = {};        // what to do
  std::string shapes = {};        // the shapes that do not fit: "[3, 4] and [4, 3]"
  std::string expression = {};    // the name of the compiled expression
  std::string operand_name = {};  // the operand as the user knows it
  int operand = -1;               // its position, from 0
  std::source_location location = {};
};

namespace detail {

// "tenon: <operation>: <problem>; <remedy>", then in brackets where it happened.
inline std::string error_text(error_details const& details) {
  std::string text = "tenon: " + details.operation + ": " + details.problem + "; " + details.remedy;
  std::string where;
  auto add = [&where](std::string const& part) { where += (where.empty() ? "" : ", ") + part; };
  if (!details.expression.empty()) add("expression " + details.expression);
  if (details.operand >= 0) add("operand " + std::to_string(details.operand));
  if (!details.operand_name.empty()) add("'" + details.operand_name + "'");
  if (details.location.line() != 0)
    add(std::string(details.location.file_name()) + ":" + std::to_string(details.location.line()));
  return where.empty() ? text : text + " (" + where + ")";
}

}  // namespace detail

class error : public std::runtime_error {
 public:
  explicit error(error_details details)
      : std::runtime_error(detail::error_text(details)),
        shared_(new shared{std::move(details)}) {}
  error(error const& other) noexcept : std::runtime_error(other), shared_(other.shared_) {
    shared_->owners.fetch_add(1);
  }
  error& operator=(error const& other) noexcept {
    std::runtime_error::operator=(other);
    other.shared_->owners.fetch_add(1);
    release();
    shared_ = other.shared_;
    return *this;
  }
  ~error() override { release(); }

  error_details const& details() const noexcept { return shared_->details; }
  std::string const& operation() const noexcept { return details().operation; }
  std::string const& expression() const noexcept { return details().expression; }
  std::string const& operand_name() const noexcept { return details().operand_name; }
  std::string const& shapes() const noexcept { return details().shapes; }
  std::source_location location() const noexcept { return details().location; }
  int operand() const noexcept { return details().operand; }

 private:
  // Shared, because an exception's copy must not throw; <memory> for it costs 0.5 s under nvcc 13.0.
  struct shared {
    error_details const details;
    detail::atomic<int> owners = 1;
  };
  void release() noexcept {
    if (shared_->owners.fetch_sub(1) == 1) delete shared_;
  }
  shared* shared_;
};

// The only place that throws. Without exceptions the sentence goes to standard error and the
// program ends.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(error_details details) {
#if defined(__cpp_exceptions)
  throw error(std::move(details));
#else
  std::fprintf(stderr, "%s\n", detail::error_text(details).c_str());
  std::abort();
#endif
}

}  // namespace tenon
