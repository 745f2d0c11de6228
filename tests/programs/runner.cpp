// SPDX-License-Identifier: Apache-2.0
// Runs the lambdas of a plan: inputs from one file, outputs to another; `runner <plan> <data>
// <results> <first line>`.
//
// A line of the plan is one run: the number of its lambda, then its inputs and its outputs, each
// list after its length; a tensor is `offset bytes start rank extents... strides...`, its bytes in
// the file, and its first element in these bytes. Every run is made twice and must give the same
// bytes. A line "ok" or the text of the fault is printed after each, so that whoever started the
// program knows which run ended it.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "harness.hpp"

namespace {

using namespace programs;
using space = tn::default_space;

struct stored {
  std::size_t offset = 0, bytes = 0, start = 0;
  std::vector<std::int64_t> extents, strides;
};
std::istream& operator>>(std::istream& in, stored& tensor) {
  std::size_t rank = 0;
  in >> tensor.offset >> tensor.bytes >> tensor.start >> rank;
  tensor.extents.resize(rank);
  tensor.strides.resize(rank);
  for (std::int64_t& extent : tensor.extents) in >> extent;
  for (std::int64_t& stride : tensor.strides) in >> stride;
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
class allocation {
 public:
  explicit allocation(std::vector<char> const& bytes) : count_(bytes.size()), memory_(count_, {}) {
    if (count_) tn::space_traits<space>::write(memory_.data(), bytes.data(), count_, {});
  }
  array view(stored const& tensor) const {
    return {static_cast<char*>(memory_.data()) + tensor.start, tensor.extents, tensor.strides};
  }
  std::vector<char> bytes() const {
    std::vector<char> result(count_);
    if (count_) tn::space_traits<space>::read(result.data(), memory_.data(), count_, {});
    return result;
  }

 private:
  std::size_t count_;
  tn::memory<space> memory_;
};

// The bytes of the outputs; those that no element lies in, and those that are not written, keep
// their mark.
std::vector<std::vector<char>> outputs_of(entry const& lambda, std::vector<stored> const& inputs,
                                          std::vector<stored> const& outputs,
                                          std::vector<char> const& data) {
  call c;
  std::vector<std::unique_ptr<allocation>> owners;
  auto add = [&](std::vector<array>& list, stored const& tensor, std::vector<char> const& bytes) {
    owners.push_back(std::make_unique<allocation>(bytes));
    list.push_back(owners.back()->view(tensor));
  };
  for (stored const& tensor : inputs) {
    char const* first = data.data() + tensor.offset;
    add(c.inputs, tensor, std::vector<char>(first, first + tensor.bytes));
  }
  std::size_t const first_output = owners.size();
  for (stored const& tensor : outputs)
    add(c.outputs, tensor, std::vector<char>(tensor.bytes, '\xcd'));
  lambda.run(c);
  std::vector<std::vector<char>> result;
  for (std::size_t k = first_output; k < owners.size(); ++k) result.push_back(owners[k]->bytes());
  return result;
}

char const* run_line(std::string const& line, std::vector<char> const& data, std::FILE* results) {
  std::istringstream in(line);
  int number = 0;
  in >> number;
  std::vector<stored> const inputs = read_list(in), outputs = read_list(in);
  entry const* lambda = entry::first;
  while (lambda && lambda->number != number) lambda = lambda->next;
  if (!lambda) return "the lambda is not in this program";

  std::vector<std::vector<char>> const bytes = outputs_of(*lambda, inputs, outputs, data);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::fseek(results, static_cast<long>(outputs[k].offset), SEEK_SET);
    std::fwrite(bytes[k].data(), 1, bytes[k].size(), results);
  }
  return outputs_of(*lambda, inputs, outputs, data) == bytes ? "ok"
                                                             : "the second run gives other bytes";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: runner <plan> <data> <results> <first line>\n", stderr);
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
      std::puts(run_line(line, data, results));
    } catch (tn::error const& error) {
      std::printf("%s\n", error.what());
    }
    std::fflush(stdout);
    std::fflush(results);
  }
  std::fclose(results);
  return 0;
}
