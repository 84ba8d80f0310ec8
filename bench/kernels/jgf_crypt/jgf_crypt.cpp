// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_crypt/jgf_crypt.hpp"

#include <algorithm>

#include "support/java_random.hpp"

namespace bench {
namespace {

constexpr std::int64_t k_seed = 136'506'717;

std::size_t bytes_of_class(const std::string& name) {
  if (name == "A") return 3'000'000;
  if (name == "B") return 20'000'000;
  if (name == "C") return 50'000'000;
  throw std::invalid_argument("jgf_crypt: --class is A, B or C, not '" + name + "'");
}

idea::user_key drawn_key() {
  java_random random(k_seed);
  idea::user_key key{};
  for (std::uint32_t& word : key) word = idea::low_word(static_cast<std::uint32_t>(random.next_int()));
  return key;
}

}  // namespace

jgf_crypt_problem::jgf_crypt_problem(const options& o)
    : class_name_(o.problem_class),
      encryption_keys_(idea::encryption_keys(drawn_key())),
      decryption_keys_(idea::decryption_keys(encryption_keys_)),
      plain_(bytes_of_class(o.problem_class)),
      cipher_(plain_.size()),
      deciphered_(plain_.size()),
      right_cipher_(k_period) {
  for (std::size_t i = 0; i < plain_.size(); ++i) plain_[i] = static_cast<std::uint8_t>(i);
  apply(encryption_keys_, plain_, right_cipher_, {0, k_period / idea::k_block_bytes});
}

/// To what no block is right with: the one differs from the text everywhere, the other from its cipher.
void jgf_crypt_problem::reset() {
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    cipher_[i] = static_cast<std::uint8_t>(~right_cipher_[i % k_period]);
    deciphered_[i] = static_cast<std::uint8_t>(~plain_[i]);
  }
}

void jgf_crypt_problem::verify() const {
  const auto compare = [](const char* which, std::size_t i, std::uint8_t found, std::uint8_t right) {
    if (found == right) return;
    throw wrong_answer("byte " + std::to_string(i) + " of the " + which + " is " + std::to_string(found) + ", not " +
                       std::to_string(right));
  };
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    compare("cipher text", i, cipher_[i], right_cipher_[i % k_period]);
    compare("deciphered text", i, deciphered_[i], plain_[i]);
  }
}

void jgf_crypt_problem::report(nlohmann::json& line) const { line["class"] = class_name_; }

void jgf_crypt_problem::apply(const idea::subkeys& keys, const text& in, text& out, part blocks) {
  for (std::size_t i = blocks.begin; i < blocks.end; ++i) {
    idea::apply(keys, in.data() + i * idea::k_block_bytes, out.data() + i * idea::k_block_bytes);
  }
}

}  // namespace bench
