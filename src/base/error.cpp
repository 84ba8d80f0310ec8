// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tactus {

namespace {

constexpr std::size_t k_quoted_messages = 16;

// A message is quoted up to this length, so that the text of finishes nested n deep does not grow with the product of
// their messages: 16 messages a level, 2 KiB each, whatever lies below.
constexpr std::size_t k_quoted_characters = 2048;

// A finish in which nothing but an inner finish failed adds nothing to the text. Thus one failure deep in a recursion
// reads at the root as it did where it happened, and not as "1 exception: [1 exception: [...".
bool is_only_a_wrapper(const std::vector<std::exception_ptr>& collected, std::string& inner_text) {
  if (collected.size() != 1 || collected.front() == nullptr) {
    return false;
  }
  try {
    std::rethrow_exception(collected.front());
  } catch (const multiple_exceptions& inner) {
    inner_text = inner.what();
    return true;
  } catch (...) {
    return false;
  }
}

void append_clipped(std::string& text, std::string_view message) {
  if (message.size() <= k_quoted_characters) {
    text += message;
    return;
  }
  text += message.substr(0, k_quoted_characters);
  text += "... (" + std::to_string(message.size() - k_quoted_characters) + " more characters)";
}

void append_message(std::string& text, const std::exception_ptr& one) {
  if (one == nullptr) {
    text += "unknown exception";
    return;
  }
  try {
    std::rethrow_exception(one);
  } catch (const multiple_exceptions& nested) {
    text += '[';
    append_clipped(text, nested.what());
    text += ']';
  } catch (const std::exception& known) {
    const char* what = known.what();
    text += '"';
    append_clipped(text, what != nullptr ? what : "");
    text += '"';
  } catch (...) {
    text += "unknown exception";
  }
}

std::string describe(const std::vector<std::exception_ptr>& collected) {
  std::string text;
  if (is_only_a_wrapper(collected, text)) {
    return text;
  }
  text = std::to_string(collected.size()) + (collected.size() == 1 ? " exception" : " exceptions");
  const std::size_t quoted = std::min(collected.size(), k_quoted_messages);
  for (std::size_t i = 0; i < quoted; ++i) {
    text += i == 0 ? ": " : "; ";
    append_message(text, collected[i]);
  }
  if (collected.size() > quoted) {
    text += "; and " + std::to_string(collected.size() - quoted) + " more";
  }
  return text;
}

}  // namespace

multiple_exceptions::multiple_exceptions(std::vector<std::exception_ptr> collected)
    : error(describe(collected)),
      list_(std::make_shared<const std::vector<std::exception_ptr>>(std::move(collected))) {}

// An explicit list of what is left to open, in place of recursion: a failure under a thousand nested finishes must not
// need a thousand frames, each with an exception in flight, on a task's stack.
std::vector<std::exception_ptr> multiple_exceptions::flattened() const {
  std::vector<std::exception_ptr> leaves;
  std::vector<std::exception_ptr> unopened(list_->rbegin(), list_->rend());
  while (!unopened.empty()) {
    std::exception_ptr one = std::move(unopened.back());
    unopened.pop_back();
    if (one == nullptr) {
      leaves.push_back(std::move(one));
      continue;
    }
    try {
      std::rethrow_exception(one);
    } catch (const multiple_exceptions& inner) {
      unopened.insert(unopened.end(), inner.list_->rbegin(), inner.list_->rend());
    } catch (...) {
      leaves.push_back(std::move(one));
    }
  }
  return leaves;
}

deadlock_error::deadlock_error(const std::string& what, std::vector<std::exception_ptr> others)
    : error(what), list_(std::make_shared<const std::vector<std::exception_ptr>>(std::move(others))) {}

}  // namespace tactus
