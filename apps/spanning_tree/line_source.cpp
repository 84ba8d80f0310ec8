// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace spanning {
namespace {

constexpr std::size_t k_buffer_bytes = 1024 * 1024;
static_assert(k_buffer_bytes > 2 * line_source::k_max_line, "a refill must always make room for more than one line");

[[noreturn]] void fail_to(const char* doing, const std::string& name, int error_number) {
  throw input_error(fmt::format("{}: cannot {}: {}", name, doing, std::generic_category().message(error_number)));
}

}  // namespace

line_source::line_source(const std::string& path)
    : name_(path == "-" ? "<standard input>" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      buffer_(k_buffer_bytes),
      begin_(buffer_.data()),
      end_(buffer_.data()) {
  if (descriptor_ < 0) {
    fail_to("open", name_, errno);
  }
  struct stat status{};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
}

line_source::line_source(std::string name, std::string_view text)
    : name_(std::move(name)),
      size_(text.size()),
      bytes_read_(text.size()),
      at_end_(true),
      begin_(text.empty() ? "" : text.data()),  // memchr needs an address also where there is nothing
      end_(begin_ + text.size()) {}

line_source::~line_source() {
  if (descriptor_ > STDIN_FILENO) {
    ::close(descriptor_);
  }
}

bool line_source::begins_with(std::string_view text) {
  while (static_cast<std::size_t>(end_ - begin_) < text.size() && !at_end_) {
    at_end_ = !refill();
  }
  return std::string_view(begin_, static_cast<std::size_t>(end_ - begin_)).starts_with(text);
}

bool line_source::next(std::string_view& line) {
  const at_hand found = look();
  if (found.what == piece::none) {
    return false;
  }
  line = take(found);
  if (found.what == piece::part || line.size() > k_max_line) {
    fail(fmt::format("the line is longer than {} bytes, which no edge needs", k_max_line));
  }
  return true;
}

line_source::piece line_source::next_piece(std::string_view& text) {
  at_hand found = look();
  if (found.what == piece::part) {
    const auto blank = std::string_view(begin_, found.size).find_last_of(" \t");
    if (blank == std::string_view::npos) {
      (void)take(found);
      fail(fmt::format("a word longer than {} bytes, which no number needs", k_max_line));
    }
    found.size = blank + 1;
  }
  if (found.what != piece::none) {
    text = take(found);
  }
  return found.what;
}

void line_source::fail(const std::string& what) const {
  throw input_error(fmt::format("{}:{}: {}", name_, std::max<std::uint64_t>(line_number_, 1), what));
}

// Reads until there is a whole line, or more of one than k_max_line, or nothing more.
line_source::at_hand line_source::look() {
  for (;;) {
    const auto have = static_cast<std::size_t>(end_ - begin_);
    const auto* const newline = static_cast<const char*>(std::memchr(begin_, '\n', have));
    if (newline != nullptr) {
      return {static_cast<std::size_t>(newline - begin_), piece::end_of_line};
    }
    if (at_end_) {
      return {have, have > 0 || in_line_ ? piece::end_of_line : piece::none};
    }
    if (have > k_max_line) {
      return {have, piece::part};
    }
    at_end_ = !refill();
  }
}

std::string_view line_source::take(at_hand next) {
  const std::string_view text(begin_, next.size);
  const bool has_newline = next.what == piece::end_of_line && begin_ + next.size != end_;
  begin_ += next.size + (has_newline ? 1 : 0);
  line_number_ += in_line_ ? 0 : 1;
  in_line_ = next.what == piece::part;
  return text;
}

// Moves the unfinished line to the front and reads behind it; false at the end of the file.
bool line_source::refill() {
  const auto have = static_cast<std::size_t>(end_ - begin_);
  std::memmove(buffer_.data(), begin_, have);
  begin_ = buffer_.data();
  end_ = begin_ + have;
  for (;;) {
    const ::ssize_t got = ::read(descriptor_, buffer_.data() + have, buffer_.size() - have);
    if (got >= 0) {
      end_ += got;
      bytes_read_ += static_cast<std::uint64_t>(got);
      return got > 0;
    }
    if (errno != EINTR) {
      fail_to("read", name_, errno);
    }
  }
}

}  // namespace spanning
