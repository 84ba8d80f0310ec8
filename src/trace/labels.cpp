// SPDX-License-Identifier: Apache-2.0
#include "trace/labels.hpp"

#include "base/demangled.hpp"

#include <algorithm>
#include <cstddef>

namespace tactus::detail {
namespace {

constexpr std::string_view k_before_type = "Closure = ";
constexpr std::string_view k_own = "tactus::detail::";

// Where the bracket that opens at `begin` is closed, or the end.
std::size_t behind_brackets(std::string_view text, std::size_t begin) noexcept {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == '>' || c == ')' || c == ']' || c == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

// Of template arguments: what stands behind the last comma that is in no brackets, without the spaces around it.
std::string_view last_argument(std::string_view arguments) noexcept {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') {
      i = behind_brackets(arguments, i) - 1;
    } else if (c == ',') {
      begin = i + 1;
    }
  }
  arguments.remove_prefix(std::min(arguments.find_first_not_of(' ', begin), arguments.size()));
  while (arguments.ends_with(' ')) {
    arguments.remove_suffix(1);
  }
  return arguments;
}

// What the library wraps around a closure, its last template argument, says nothing to those who look.
std::string_view without_wrappers(std::string_view type) noexcept {
  while (type.starts_with(k_own) && type.ends_with('>') && type.find('<') != std::string_view::npos) {
    type.remove_suffix(1);
    type = last_argument(type.substr(type.find('<') + 1));
  }
  return type;
}

// A closure in another one is called "f()::{lambda()#2}::operator()() const::{lambda()#1}". That the outer one is called goes
// without saying.
std::string without_call_operators(std::string_view type) {
  constexpr std::string_view k_call = "}::operator()";
  constexpr std::string_view k_const = " const";
  std::string shown;
  for (std::size_t at = 0; (at = type.find(k_call)) != std::string_view::npos;) {
    shown += type.substr(0, at + 1);
    type.remove_prefix(at + k_call.size());
    for (const char opening : {'<', '('}) {
      type.remove_prefix(type.starts_with(opening) ? behind_brackets(type, 0) : 0);
    }
    type.remove_prefix(type.starts_with(k_const) ? k_const.size() : 0);
  }
  return shown.append(type);
}

}  // namespace

std::string closure_in(const char* made_from) {
  const std::string_view signature(made_from);
  const std::size_t at = signature.find(k_before_type);
  if (at == std::string_view::npos) {
    return without_call_operators(without_wrappers(demangled(made_from)));
  }
  const std::string_view type = signature.substr(at + k_before_type.size());
  return std::string(without_wrappers(type.substr(0, type.rfind(']'))));
}

std::string closure_labels::of(const char* made_from) {
  const std::lock_guard hold(mutex_);
  const auto at = labels_.find(made_from);
  if (at != labels_.end()) {
    return at->second;
  }
  std::string label = closure_in(made_from);
  // g++ without type information: all closures of a function that take the same arguments are called the same.
  if (label.find("<lambda(") != std::string::npos) {
    const int number = ++without_number_[label];
    label += number > 1 ? " #" + std::to_string(number) : "";
  }
  return labels_.emplace(made_from, std::move(label)).first->second;
}

}  // namespace tactus::detail
