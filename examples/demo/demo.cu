// SPDX-License-Identifier: Apache-2.0
// The demonstration: expressions over real images, each as one launch beside the same operator by operator.
// Prints what was written, what it became, whether it is right and how fast it is. Exits with 0 when all is right.

#include <tenon/npy.hpp>

#include "jobs.hpp"
#include "timing.hpp"

namespace tn = tenon;
using namespace demo;

// Two texts side by side.
void print_beside(std::string const& left, std::string const& right) {
  auto next = [](std::string const& text, std::size_t& at) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = at < text.size() ? text.substr(at, end - at) : "";
    at = end + 1;
    return line;
  };
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    std::string a = next(left, l), b = next(right, r);
    std::printf("    %-44s %s\n", a.c_str(), b.c_str());
  }
}

template <class Space>
class demonstration {
 public:
  explicit demonstration(int repeats)
      : images_(tn::load_npy<std::uint8_t, tn::dyn, 64>(TENON_DATA_DIR "/digits.npy")),
        labels_(tn::load_npy<std::uint8_t, tn::dyn>(TENON_DATA_DIR "/digits_labels.npy")),
        host_{scaled(0), scaled(1), 64},
        x_(host_.x, images_.extent(0), 64),
        y_(host_.y, images_.extent(0), 64),
        many_x_(repeated(host_.x, repeats), repeats * images_.extent(0), 64),
        many_y_(repeated(host_.y, repeats), repeats * images_.extent(0), 64),
        work_(many_x_.extent(0), 64),
        result_(many_x_.extent(0), 64) {}

  bool run() {
    heading();
    what_it_becomes();
    table();
    ink();
    return all_right_;
  }

 private:
  // Pixels from 0 to 1, the images `shift` places further on.
  std::vector<float> scaled(std::int64_t shift) const {
    std::vector<float> result;
    for (std::int64_t k = 0; k < images_.size(); ++k) result.push_back(images_.data()[(k + 64 * shift) % images_.size()] / 16.0f);
    return result;
  }
  static std::vector<float> repeated(std::vector<float> const& values, int repeats) {
    std::vector<float> result;
    for (int k = 0; k < repeats; ++k) result.insert(result.end(), values.begin(), values.end());
    return result;
  }

  void heading() {
    std::printf("Tenon: a tensor expression, written as a lambda, becomes one kernel.     %s\n", clock_.device().c_str());
    std::printf("Data: %lld images of handwritten digits, 8 x 8 pixels; for the times repeated to x, y: f32 [%lld, 64], %s each\n\n",
                static_cast<long long>(images_.extent(0)), static_cast<long long>(many_x_.extent(0)), std::string(tn::bytes_text(many_x_.size() * 4)).c_str());
  }

  void what_it_becomes() {
    std::printf("What is written                auto c = tn::relu((x + y) * 2.0f);\n");
    std::printf("                               return tn::mean(tn::sum(c, tn::axis<1>));\n");
    std::printf("What it becomes, while the program is compiled\n");
    tn::explanation e = tn::explain(mean_of_sums, many_x_, many_y_);
    std::string const graphs = e.graphs;
    std::size_t last = graphs.rfind("\nafter ");
    std::string before = graphs.substr(0, graphs.find("\nafter ")), after = graphs.substr(last + 1);
    print_beside("the graph " + before.substr(before.find("as the")), after.substr(0, after.find("\nunchanged")));
    std::printf("What a call does\n");
    std::string report = e.schedule + e.costs;
    for (std::size_t at = 0; at < report.size();) {
      std::size_t end = std::min(report.find('\n', at), report.size());
      if (end > at) std::printf("    %s\n", report.substr(at, end - at).c_str());
      at = end + 1;
    }
  }

  void table() {
    std::int64_t bytes = many_x_.size() * 4;
    double copy_us = median_us(clock_, [&] { clock_.copy(result_.data(), many_x_.data(), bytes); });
    copy_gbs_ = 2e-3 * static_cast<double>(bytes) / copy_us;
    std::printf("\nOne launch beside one launch for each operator; the median of 21 runs; errors against float64 loops\n");
    std::printf("  %-37s %8s %8s %7s %9s %9s %8s %6s %7s\n", "", "launches", "MB moved", "error", "us", "us one", "times", "GB/s", "of");
    std::printf("  %-37s %8s %8s %7s %9s %9s %8s %6s %7s\n", "", "", "", "", "one by one", "launch", "faster", "", "copy");
    auto& w = work_;
    job("relu((x + y) * 2)", scaled_relu, scaled_relu_reference(host_), 3, result_, [&] {
      one::add.into(w.a)(many_x_, many_y_), one::mul_number.into(w.b)(w.a, 2.0f), one::relu.into(w.a)(w.b);
    });
    job("mean(sum(relu((x + y) * 2), axis 1))", mean_of_sums, mean_of_sums_reference(host_), 5, w.total, [&] {
      one::add.into(w.a)(many_x_, many_y_), one::mul_number.into(w.b)(w.a, 2.0f), one::relu.into(w.a)(w.b);
      one::sum.into(w.row)(w.a), one::mean.into(w.total)(w.row);
    });
    job("sin(x) + cos(x)", wave, wave_reference(host_), 3, result_, [&] {
      one::sin.into(w.a)(many_x_), one::cos.into(w.b)(many_x_), one::add.into(result_)(w.a, w.b);
    });
    job("softmax(x, axis 1)", row_softmax, softmax_reference(host_), 5, result_, [&] {
      one::max.into(w.row)(many_x_), one::sub_row.into(w.a)(many_x_, w.row), one::exp.into(w.b)(w.a);
      one::sum.into(w.row)(w.b), one::div_row.into(result_)(w.b, w.row);
    });
    job("gelu(layer_norm(x)) * 1.2 + 0.1", block, block_reference(host_), 4, result_, [&] {
      one::layer_norm.into(w.a)(many_x_), one::gelu.into(w.b)(w.a), one::mul_number.into(w.a)(w.b, 1.2f), one::add_number.into(result_)(w.a, 0.1f);
    });
    std::printf("  %-37s %8s %8.0f %7s %9s %9.0f %8s %6.1f\n", "a copy of x, for comparison", "", 2e-6 * static_cast<double>(bytes), "", "", copy_us, "", copy_gbs_);
  }

  template <class Fused, class Result, class Separate>
  void job(char const* text, Fused const& fused, numbers const& wanted, int launches, Result& result, Separate const& separate) {
    double worst = 0;
    auto got = tn::to_vector(fused(x_, y_));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      double error = std::abs(static_cast<double>(got[k]) - wanted[k]) / std::max(1.0, std::abs(wanted[k]));
      if (!(error <= worst)) worst = error;
    }
    bool is_right = got.size() == wanted.size() && worst <= 64 * example::rounding;
    all_right_ = all_right_ && is_right;
    double one_us = median_us(clock_, [&] { fused.into(result)(many_x_, many_y_); }), separate_us = median_us(clock_, separate);
    tn::traffic cost = tn::explain(fused, many_x_, many_y_).cost;
    double gbs = 1e-3 * static_cast<double>(cost.minimum_bytes()) / one_us;
    std::printf("  %-37s %3d -> 1 %8.0f %7.0e %9.0f %9.0f %7.1fx %6.1f %6.0f%%%s\n", text, launches, 1e-6 * static_cast<double>(cost.minimum_bytes()), worst,
                separate_us, one_us, separate_us / one_us, gbs, 100 * gbs / copy_gbs_, is_right ? "" : "  WRONG");
  }

  void ink() {
    auto images = tn::to<Space>(images_);
    auto labels = tn::to<Space>(labels_);
    std::printf("\nMean ink of an image by its digit, from bytes, one launch each:");
    for (int digit = 0; digit < 10; ++digit) {
      auto [total, count] = ink_of_digit(images, labels, digit);
      double wanted = 0, images_of_digit = 0;
      for (std::int64_t r = 0; r < images_.extent(0); ++r) {
        if (labels_.data()[r] != digit) continue;
        ++images_of_digit;
        for (int c = 0; c < 64; ++c) wanted += images_.data()[r * 64 + c];
      }
      // Sums of small integers are exact in float.
      bool is_right = total.item() == static_cast<float>(wanted) && count.item() == static_cast<float>(images_of_digit);
      all_right_ = all_right_ && is_right;
      std::printf(" %d:%.0f%s", digit, total.item() / count.item(), is_right ? "" : " WRONG");
    }
    std::printf("\n%s\n", all_right_ ? "Every result agrees with its float64 loop." : "SOME RESULTS ARE WRONG.");
  }

  tn::cpu::tensor<std::uint8_t, tn::dyn, 64> images_;
  tn::cpu::tensor<std::uint8_t, tn::dyn> labels_;
  host_images host_;
  matrix<Space> x_, y_, many_x_, many_y_;
  scratch<Space> work_;
  matrix<Space> result_;
  clock_of<Space> clock_;
  double copy_gbs_ = 0;
  bool all_right_ = true;
};

int main() {
  try {
#if defined(__CUDACC__)
    // Enough repetitions that nothing stays in the GPU's cache from run to run.
    if (tn::device_count() > 0) return demonstration<tn::cuda>(1024).run() ? 0 : 1;
#endif
    return demonstration<tn::cpu>(64).run() ? 0 : 1;
  } catch (std::exception const& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
