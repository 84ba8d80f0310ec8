// SPDX-License-Identifier: Apache-2.0
// Looking at exceptions: what a call threw, and what a list of them says.
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Runs f; the Error that it threw, or nothing when it returned. Anything else that f throws passes through.
template <class Error, class F>
std::optional<Error> caught(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& e) {
    return e;
  }
  return std::nullopt;
}

/// The text of one exception; empty for what is no std::exception.
inline std::string message(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return {};
  }
}

/// The texts of all, sorted: exceptions are collected in no particular order.
inline std::vector<std::string> messages(const std::vector<std::exception_ptr>& list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const std::exception_ptr& e : list) texts.push_back(message(e));
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace support
