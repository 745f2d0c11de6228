// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a plan: inputs from one file, outputs to another; `runner <plan> <data>
// <results> <first case>`.
//
// The plan holds a line per case: the number of its lambda, then its inputs and its outputs, each
// list after its length; a tensor is `offset bytes rank extents...`. A line "ok" or the text of the
// error is printed after each case, so that whoever started the program knows which case ended it.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "harness.hpp"

namespace {

using namespace conformance;
using space = tn::default_space;

struct stored {
  std::size_t offset = 0, bytes = 0;
  std::vector<std::int64_t> extents;
};
std::istream& operator>>(std::istream& in, stored& tensor) {
  std::size_t rank = 0;
  in >> tensor.offset >> tensor.bytes >> rank;
  tensor.extents.resize(rank);
  for (std::int64_t& extent : tensor.extents) in >> extent;
  return in;
}
std::vector<stored> read_list(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  std::vector<stored> list(count);
  for (stored& tensor : list) in >> tensor;
  return list;
}

// Memory of the default space with given bytes in it.
struct allocation {
  explicit allocation(char const* bytes, std::size_t count) : memory(count, {}) {
    if (count) tn::space_traits<space>::write(memory.data(), bytes, count, {});
  }
  tn::memory<space> memory;
};

void run_case(std::string const& line, std::vector<char> const& data, std::FILE* results) {
  std::istringstream in(line);
  int number = 0;
  in >> number;
  std::vector<stored> const inputs = read_list(in), outputs = read_list(in);
  entry const* lambda = entry::first;
  while (lambda && lambda->number != number) lambda = lambda->next;
  if (!lambda) {
    std::printf("lambda %d is not in this program\n", number);
    return;
  }

  call c;
  std::vector<std::unique_ptr<allocation>> owners;
  auto allocate = [&](stored const& tensor, char const* bytes) {
    owners.push_back(std::make_unique<allocation>(bytes, tensor.bytes));
    return array{owners.back()->memory.data(), tensor.extents};
  };
  for (stored const& tensor : inputs)
    c.inputs.push_back(allocate(tensor, data.data() + tensor.offset));
  for (stored const& tensor : outputs)  // what is not written shows
    c.outputs.push_back(allocate(tensor, std::vector<char>(tensor.bytes, '\xcd').data()));

  lambda->run(c);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<char> bytes(outputs[k].bytes);
    if (bytes.empty()) continue;
    tn::space_traits<space>::read(bytes.data(), c.outputs[k].data, bytes.size(), {});
    std::fseek(results, static_cast<long>(outputs[k].offset), SEEK_SET);
    std::fwrite(bytes.data(), 1, bytes.size(), results);
  }
  std::puts("ok");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: runner <plan> <data> <results> <first case>\n", stderr);
    return 2;
  }
  std::ifstream plan(argv[1]), data_file(argv[2], std::ios::binary);
  std::vector<char> const data{std::istreambuf_iterator<char>(data_file), {}};
  std::FILE* results = std::fopen(argv[3], "r+b");
  if (!plan || !results) {
    std::fputs("runner: a file cannot be opened\n", stderr);
    return 2;
  }
  std::string line;
  for (long k = 0, first = std::stol(argv[4]); std::getline(plan, line); ++k) {
    if (k < first) continue;
    try {
      run_case(line, data, results);
    } catch (tn::error const& error) {
      std::printf("%s\n", error.what());
    }
    std::fflush(stdout);
    std::fflush(results);
  }
  std::fclose(results);
  return 0;
}
