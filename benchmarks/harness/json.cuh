// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names and numbers → one JSON object on one line.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

class json_object {
 public:
  json_object& add(std::string const& name, std::string const& value) {
    return add_raw(name, quoted(value));
  }
  json_object& add(std::string const& name, char const* value) {
    return add(name, std::string(value));
  }
  // What JSON cannot write as a number is null.
  json_object& add(std::string const& name, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", value);
    return add_raw(name, std::isfinite(value) ? digits : "null");
  }
  json_object& add(std::string const& name, long long value) {
    return add_raw(name, std::to_string(value));
  }
  json_object& add(std::string const& name, int value) {
    return add_raw(name, std::to_string(value));
  }
  json_object& add(std::string const& name, std::vector<long long> const& values) {
    std::string list;
    for (long long value : values) {
      if (!list.empty()) list += ", ";
      list += std::to_string(value);
    }
    return add_raw(name, "[" + list + "]");
  }
  json_object& add(std::string const& name, json_object const& object) {
    return add_raw(name, object.text());
  }

  std::string text() const { return "{" + members_ + "}"; }

 private:
  json_object& add_raw(std::string const& name, std::string const& value) {
    if (!members_.empty()) members_ += ", ";
    members_ += quoted(name) + ": " + value;
    return *this;
  }
  static std::string quoted(std::string const& text) {
    std::string result = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
    return result + "\"";
  }

  std::string members_;
};

}  // namespace bench
