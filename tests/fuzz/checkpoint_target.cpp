// SPDX-License-Identifier: Apache-2.0
// Files of arrays over two axes. The first letter says what their elements are to be: n numbers, s strings, p pairs of a bool and a number;
// a capital one has all checksums put right, and the size of the file, so that what is behind them is reached.
#include "targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/array/array.hpp>
#include <tactus/array/impl/loaded_blocks.hpp>
#include <tactus/array/region.hpp>
#include <tactus/base/error.hpp>

namespace fuzz {

struct flagged {
  bool is_set = false;
  std::int32_t number = 0;
};

}  // namespace fuzz

template <>
inline constexpr std::string_view tactus::array_type_name<fuzz::flagged> = "flagged";

namespace fuzz {
namespace {

namespace ts = tactus;
namespace td = tactus::detail;

constexpr std::size_t k_most_cells = 100000;  // that are asked for: how many a program wants, it says itself

class file_in_memory {
public:
  explicit file_in_memory(std::string_view text) : number_(::memfd_create("checkpoint", 0)) {
    require(number_ >= 0 && ::write(number_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "there is memory for the file");
  }
  ~file_in_memory() { ::close(number_); }
  file_in_memory(const file_in_memory&) = delete;
  file_in_memory& operator=(const file_in_memory&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

private:
  int number_;
};

template <class T>
T number_at(const std::string& text, std::size_t at) {
  T number;
  std::memcpy(&number, text.data() + at, sizeof number);
  return number;
}

std::uint32_t sum_of(const std::string& text, std::size_t from, std::size_t bytes) {
  return td::crc32c(0, std::as_bytes(std::span(text).subspan(from, bytes)));
}

void put_right(std::string& text) {
  if (text.size() < 80) {
    return;
  }
  const auto put = [&text](std::size_t at, auto number) { std::memcpy(&text[at], &number, sizeof number); };
  put(16, std::uint64_t{text.size()});
  const std::size_t box = 16 * std::size_t{number_at<std::uint32_t>(text, 44)};
  const auto name = number_at<std::uint64_t>(text, 48);
  const auto boxes = number_at<std::uint64_t>(text, 56);
  const auto blocks = number_at<std::uint64_t>(text, 64);
  const std::uint64_t most = text.size();
  if (name <= most && boxes <= most && blocks <= most && box <= most) {  // so that products are right
    const std::size_t table = 80 + (name + 7) / 8 * 8 + box * boxes;
    const std::size_t end = table + (box + 24) * blocks;
    for (std::size_t at = table; at < end && end <= most; at += box + 24) {
      const auto offset = number_at<std::uint64_t>(text, at + box);
      const auto bytes = number_at<std::uint64_t>(text, at + box + 8);
      if (offset <= most && bytes <= most - offset) {
        put(at + box + 16, sum_of(text, offset, bytes));
      }
    }
    if (end <= most) {
      put(72, sum_of(text, 80, end - 80));
    }
  }
  put(76, sum_of(text, 0, 76));
}

template <class T>
void check_file(const std::string& path) {
  try {
    const td::loaded_blocks<T, 2> file(path);
    const ts::region<2> all(td::checkpoint_head::boxes_of<2>(file.head().region));
    file.check(all);
    if (all.size() > k_most_cells) {
      return;
    }
    std::vector<ts::array<T, 2>> cells;
    std::vector<ts::view<T, 2>> views;
    for (const ts::box<2>& b : all.boxes()) {
      cells.emplace_back(b);
    }
    for (ts::array<T, 2>& one : cells) {
      views.push_back(one.all());
    }
    require(file.fill(views) == all.size(), "a file that is accepted has each cell of its region once");
  } catch (const ts::error& e) {
    require(std::strstr(e.what(), path.c_str()) != nullptr || std::strstr(e.what(), "than can be counted") != nullptr,
            "an error names the file");
  }
}

}  // namespace

void checkpoint(std::string_view given) {
  if (given.empty()) {
    return;
  }
  const char what = given.front();
  std::string text(given.substr(1));
  if (std::isupper(static_cast<unsigned char>(what)) != 0) {
    put_right(text);
  }
  const file_in_memory file(text);
  switch (std::tolower(static_cast<unsigned char>(what))) {
    case 's': check_file<std::string>(file.path()); break;
    case 'p': check_file<flagged>(file.path()); break;
    default: check_file<double>(file.path());
  }
}

}  // namespace fuzz
