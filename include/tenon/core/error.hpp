// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one exception type: what went wrong at run time, as one sentence and as separate fields.

#if !defined(__cpp_exceptions)
#include <cstdio>
#include <cstdlib>
#endif
#include <exception>
#include <source_location>
#include <utility>

#include "tenon/core/atomic.hpp"
#include "tenon/core/config.hpp"
#include "tenon/core/text.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// Everything that is known about a fault; a field that does not apply stays empty.
struct error_details {
  text operation = {};     // "copy", "tensor", "launch", an operator's name
  text problem = {};       // what is wrong
  text remedy = {};        // what to do
  text shapes = {};        // the shapes that do not fit: "[3, 4] and [4, 3]"
  text expression = {};    // the name of the compiled expression
  text operand_name = {};  // the operand as the user knows it
  int operand = -1;               // its position, from 0
  std::source_location location = {};
};

namespace detail {

// "tenon: <operation>: <problem>; <remedy>", then in brackets where it happened.
[[gnu::cold, gnu::noinline]] inline text error_text(error_details const& details) {
  text sentence = "tenon: ";
  sentence << details.operation << ": " << details.problem << "; " << details.remedy;
  int places = 0;
  auto where = [&]() -> text& { return sentence << (places++ ? ", " : " ("); };
  if (!details.expression.empty()) where() << "expression " << details.expression;
  if (details.operand >= 0) where() << "operand " << details.operand;
  if (!details.operand_name.empty()) where() << '\'' << details.operand_name << '\'';
  if (details.location.line() != 0)
    where() << details.location.file_name() << ':' << static_cast<long>(details.location.line());
  if (places) sentence << ')';
  return sentence << '\0';
}

}  // namespace detail

// Not a std::runtime_error, whose <stdexcept> brings <string> with it: 0.2 s under nvcc 13.0.
class error : public std::exception {
 public:
  explicit error(error_details details)
      : shared_(new shared{detail::error_text(details), std::move(details)}) {}
  error(error const& other) noexcept : std::exception(other), shared_(other.shared_) {
    shared_->owners.fetch_add(1);
  }
  error& operator=(error const& other) noexcept {
    other.shared_->owners.fetch_add(1);
    release();
    shared_ = other.shared_;
    return *this;
  }
  ~error() override { release(); }

  char const* what() const noexcept override { return shared_->sentence.view().data(); }
  error_details const& details() const noexcept { return shared_->details; }
  text const& operation() const noexcept { return details().operation; }
  text const& expression() const noexcept { return details().expression; }
  text const& operand_name() const noexcept { return details().operand_name; }
  text const& shapes() const noexcept { return details().shapes; }
  std::source_location location() const noexcept { return details().location; }
  int operand() const noexcept { return details().operand; }

 private:
  // Shared, because an exception's copy must not throw; <memory> for it costs 0.5 s under nvcc 13.0.
  struct shared {
    text const sentence;
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
  std::fprintf(stderr, "%s\n", detail::error_text(details).view().data());
  std::abort();
#endif
}

}  // namespace tenon
TENON_ONCE_END
