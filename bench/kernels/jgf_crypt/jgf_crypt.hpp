// SPDX-License-Identifier: Apache-2.0
// Problem jgf_crypt: Crypt of the Java Grande Forum's multithreaded suite 1.0, section 2: 3,000,000, 20,000,000 or
// 50,000,000 bytes, in classes A, B and C, are enciphered by IDEA and deciphered again. work-stealing.txt, figures 14 and
// 15, has class C.
//
// The text is the suite's, 0 to 255 again and again, and so is the key, which java.util.Random draws. The suite wants the
// text back; here the cipher text has to be right too, so that neither half can be left out. Two steps, which divide the
// blocks of eight bytes. The unit is a block enciphered or deciphered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/jgf_crypt/idea.hpp"
#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_crypt_problem {
public:
  explicit jgf_crypt_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    steps.each(blocks(), [this](part p) { apply(encryption_keys_, plain_, cipher_, p); });
    steps.each(blocks(), [this](part p) { apply(decryption_keys_, cipher_, deciphered_, p); });
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return 2 * blocks(); }
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t blocks() const { return plain_.size() / idea::k_block_bytes; }

private:
  using text = std::vector<std::uint8_t>;

  /// The text repeats itself after so many bytes, and so does the cipher text.
  static constexpr std::size_t k_period = 256;

  // The loop, out of line so that every competitor runs the same code, whatever compiled the competitor.
  static void apply(const idea::subkeys& keys, const text& in, text& out, part blocks);

  std::string class_name_;
  idea::subkeys encryption_keys_;
  idea::subkeys decryption_keys_;
  text plain_;
  text cipher_;
  text deciphered_;
  text right_cipher_;  // of one period
};

}  // namespace bench
