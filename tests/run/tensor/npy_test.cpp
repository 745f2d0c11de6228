// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// .npy files: round trips of every element type, files as NumPy writes them, and every message
// about bad ones.

#include <unistd.h>

#include "tenon/npy.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "run/tensor/support.hpp"

namespace tn = tenon;

namespace {

// Tests of several programs run at once: the process is part of the name.
std::string temporary(std::string const& name) {
  return testing::TempDir() + "tenon_" + std::to_string(getpid()) + "_" + name + ".npy";
}

std::string write_bytes(std::string const& name, std::string const& bytes) {
  std::string const path = temporary(name);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  EXPECT_NE(file, nullptr);
  EXPECT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  std::fclose(file);
  return path;
}

std::string read_bytes(std::string const& path) {
  std::string bytes;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  EXPECT_NE(file, nullptr);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) bytes += static_cast<char>(c);
  std::fclose(file);
  return bytes;
}

std::string header(std::string const& dictionary, int version = 1) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(version);
  text += '\0';
  std::size_t const length = dictionary.size() + 1;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(length >> 8 * i & 0xff);
  return text + dictionary + "\n";
}

template <class T> std::string raw(std::vector<T> const& values) {
  return std::string(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
}

template <class T> class npy : public testing::Test {};
using element_types = testing::Types<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t,
                                     std::int64_t, tn::half, tn::bfloat16, float, double>;
TYPED_TEST_SUITE(npy, element_types);

TYPED_TEST(npy, round_trip) {
  std::string const path = temporary("round_trip");
  for (std::int64_t rows : {0, 1, 2, 31}) {
    tn::cpu::tensor<TypeParam, tn::dyn, 3> x(rows);
    for (std::int64_t i = 0; i < x.size(); ++i)
      x.data()[i] = static_cast<TypeParam>(static_cast<float>(i % 100));
    tn::save_npy(path, x);
    auto const y = tn::load_npy<TypeParam, tn::dyn, 3>(path);
    ASSERT_EQ(y.extents(), x.extents());
    for (std::int64_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(static_cast<float>(y.data()[i]), static_cast<float>(x.data()[i]));
  }
  std::remove(path.c_str());
}

TEST(npy_file, is_what_numpy_writes) {
  std::string const path = temporary("bytes");
  tn::save_npy(path, tn::cpu::tensor<float, 2, 3>(counted(6)));
  std::string const dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(read_bytes(path),
            header(dictionary + std::string(117 - dictionary.size(), ' ')) + raw(counted(6)));
  tn::save_npy(path, tn::cpu::tensor<std::uint8_t, 2>());
  EXPECT_NE(read_bytes(path).find("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }"),
            std::string::npos);
  tn::save_npy(path, tn::cpu::tensor<double>());
  EXPECT_NE(read_bytes(path).find("'shape': (), }"), std::string::npos);
}

TEST(npy_file, elements_begin_at_a_multiple_of_64) {
  std::string const path = temporary("alignment");
  for (std::int64_t extent = 1; extent < 1000000; extent *= 10) {
    tn::save_npy(path, tn::cpu::tensor<std::uint8_t, tn::dyn, 1, 1, 1>(extent));
    EXPECT_EQ((read_bytes(path).size() - static_cast<std::size_t>(extent)) % 64, 0u) << extent;
  }
}

TEST(npy_file, rank_0_and_views) {
  std::string const path = temporary("views");
  tn::save_npy(path, tn::cpu::tensor<double>(std::vector<double>{2.5}));
  EXPECT_EQ(tn::load_npy<double>(path).item(), 2.5);
  tn::cpu::tensor<float, 5, 7> x(counted(35));
  tn::save_npy(path, x.view().permuted<1, 0>().sliced<0>(6, 0, -3));
  EXPECT_EQ(tn::to_vector(tn::load_npy<float, "B", 5>(path)),
            (std::vector<float>{6, 13, 20, 27, 34, 3, 10, 17, 24, 31}));
}

TEST(npy_file, later_versions_other_spacing_and_key_order) {
  for (int version : {1, 2, 3}) {
    std::string const path = write_bytes(
        "versions", header("{\"shape\":(3L,),'fortran_order':False , 'descr':'=f4'}", version) +
                        raw(counted(3)));
    EXPECT_EQ(tn::to_vector(tn::load_npy<float, tn::dyn>(path)), counted(3)) << version;
  }
}

TEST(npy_file, big_endian) {
  std::string const path = write_bytes(
      "big_endian", header("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }") +
                        std::string("\x00\x00\x01\x02\xff\xff\xff\xfe", 8));
  EXPECT_EQ(tn::to_vector(tn::load_npy<std::int32_t, tn::dyn>(path)),
            (std::vector<std::int32_t>{258, -2}));
}

TEST(npy_file, fortran_order) {
  std::string const path =
      write_bytes("fortran", header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }") +
                                 raw<float>({0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tn::to_vector(tn::load_npy<float, 2, 3>(path)), counted(6));
}

TEST(npy_file, bfloat16_from_unsigned) {
  std::string const path =
      write_bytes("bfloat16", header("{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }") +
                                  raw<std::uint16_t>({0x3fc0}));
  EXPECT_EQ(static_cast<float>(tn::load_npy<tn::bfloat16, 1>(path)(0)), 1.5f);
}

TEST(npy_file, bool_other_than_0_and_1_is_true) {
  std::string const path =
      write_bytes("bool", header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }") +
                              std::string("\x00\x02\xff", 3));
  EXPECT_EQ(tn::to_vector(tn::load_npy<bool, 3>(path)), (std::vector<bool>{false, true, true}));
}

// --- messages

#define EXPECT_NPY_ERROR(bytes, load, text)                               \
  do {                                                                    \
    std::string const path = write_bytes("bad", bytes);                   \
    EXPECT_ERROR(load(path), "tenon: load_npy: '" + path + "'" + (text)); \
  } while (false)

std::string matrix_header(std::string const& shape = "(2, 3)", std::string const& descr = "<f4") {
  return header("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }");
}
auto const load_matrix = [](std::string const& path) {
  return tn::load_npy<float, tn::dyn, 3>(path);
};

TEST(npy_messages, no_such_file) {
  EXPECT_ERROR(
      load_matrix("/nowhere/x.npy"),
      "tenon: load_npy: '/nowhere/x.npy' could not be opened; check the path and the permissions");
  EXPECT_ERROR(
      (tn::save_npy("/nowhere/x.npy", tn::cpu::tensor<float>()), 0),
      "tenon: save_npy: '/nowhere/x.npy' could not be opened; check the path and the permissions");
}

TEST(npy_messages, full_disk) {
  std::FILE* full = std::fopen("/dev/full", "wb");
  if (!full) GTEST_SKIP() << "there is no /dev/full here";
  std::fclose(full);
  EXPECT_ERROR(
      (tn::save_npy("/dev/full", tn::cpu::tensor<float, 3>(counted(3))), 0),
      "tenon: save_npy: '/dev/full' could not be written whole; check the space on the disk");
}

TEST(npy_messages, not_a_npy_file) {
  EXPECT_NPY_ERROR("PK\x03\x04 some other file", load_matrix,
                   " is not a .npy file; write it with numpy.save or tn::save_npy");
}

TEST(npy_messages, unknown_version) {
  EXPECT_NPY_ERROR(header("{}", 4), load_matrix,
                   " has format version 4; versions 1 to 3 are supported");
}

TEST(npy_messages, truncated_at_every_byte) {
  std::string const whole = matrix_header() + raw(counted(6)), start = matrix_header();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    if (length < start.size()) {
      EXPECT_NPY_ERROR(whole.substr(0, length), load_matrix,
                       " ends inside its header; the file is truncated; write it again");
    } else {
      EXPECT_NPY_ERROR(whole.substr(0, length), load_matrix,
                       " holds " + std::to_string((length - start.size()) / 4) +
                           " of the 6 elements of [2, 3]; the file is truncated; write it again");
    }
  }
}

TEST(npy_messages, header_of_absurd_length) {
  EXPECT_NPY_ERROR(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), load_matrix,
                   " has a header of 4294967295 bytes; arrays of numbers have short headers; save "
                   "one array of one "
                   "element type");
}

TEST(npy_messages, unreadable_header) {
  for (std::string const dictionary :
       {"", "{", "}", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'other': 1}", "{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': (2,)}",
        "{'descr: '<f4'", "{'descr': '<f4', 'shape': (2"})
    EXPECT_NPY_ERROR(
        header(dictionary), load_matrix,
        " has a header that cannot be read: " + dictionary + "\n; write the file again");
}

TEST(npy_messages, other_element_type) {
  EXPECT_NPY_ERROR(matrix_header("(2, 3)", "<f8"), load_matrix,
                   " has elements of type <f8, not <f4; load it with its own element type, or save "
                   "it with astype");
  EXPECT_NPY_ERROR(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
                   load_matrix,
                   " has elements of type [('a', '<f4')], not <f4; load it with its own element "
                   "type, or save it with "
                   "astype");
}

TEST(npy_messages, other_rank) {
  EXPECT_NPY_ERROR(
      matrix_header("(2, 3, 4)"), load_matrix,
      " has rank 3, not 2; give one extent for each axis, tn::dyn where any length will do");
  EXPECT_NPY_ERROR(
      matrix_header("(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), load_matrix,
      " has rank 10, not 2; give one extent for each axis, tn::dyn where any length will do");
}

TEST(npy_messages, other_static_extent) {
  EXPECT_NPY_ERROR(matrix_header("(2, 4)"), load_matrix,
                   ": axis 1 has extent 4 but the type says 3; give the extent of the type, or use "
                   "tn::dyn there");
}

TEST(npy_messages, extents_too_large) {
  EXPECT_NPY_ERROR(
      matrix_header("(4611686018427387904, 3)"), load_matrix,
      ": the elements of [4611686018427387904, 3] take 2^63 bytes or more; use smaller extents");
}

}  // namespace
