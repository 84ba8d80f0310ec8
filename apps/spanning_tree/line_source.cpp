// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include "edge_list_reader.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace spanning {
namespace {

constexpr std::size_t k_buffer_bytes = 1024 * 1024;
static_assert(k_buffer_bytes > 2 * line_source::k_max_line, "a refill must always make room for more than one line");

[[noreturn]] void fail(const std::string& name, const char* doing, int error_number) {
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
    fail(name_, "open", errno);
  }
  struct stat status{};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
}

line_source::~line_source() {
  if (descriptor_ != STDIN_FILENO) {
    ::close(descriptor_);
  }
}

line_source::result line_source::next(std::string_view& line) {
  for (;;) {
    const auto have = static_cast<std::size_t>(end_ - begin_);
    const auto* const newline = static_cast<const char*>(std::memchr(begin_, '\n', have));
    if (newline != nullptr || (at_end_ && have > 0)) {
      const char* const line_end = newline != nullptr ? newline : end_;
      line = {begin_, static_cast<std::size_t>(line_end - begin_)};
      begin_ = newline != nullptr ? newline + 1 : end_;
      return line.size() > k_max_line ? result::too_long : result::line;
    }
    if (have > k_max_line) {
      return result::too_long;
    }
    if (at_end_) {
      return result::end;
    }
    at_end_ = !refill();
  }
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
      fail(name_, "read", errno);
    }
  }
}

}  // namespace spanning
