// SPDX-License-Identifier: Apache-2.0
#pragma once
// A generated document: `program` prints it, `program <file>` compares it with the committed file.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace document {

inline int print_or_compare(std::string const& text, int argc, char** argv) {
  if (argc < 2) return std::fputs(text.c_str(), stdout) < 0;
  std::ifstream file(argv[1]);
  std::string committed{std::istreambuf_iterator<char>(file), {}};
  if (committed == text) return 0;
  std::size_t line = 1, at = 0;
  while (at < text.size() && at < committed.size() && text[at] == committed[at]) line += text[at++] == '\n';
  std::printf("%s differs from what the code gives, from line %zu on; make it again: %s > %s\n", argv[1], line, argv[0], argv[1]);
  return 1;
}

inline std::string block(std::string const& lines) { return "```text\n" + lines + "```\n\n"; }

}  // namespace document
