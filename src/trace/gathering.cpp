// SPDX-License-Identifier: Apache-2.0
#include "trace/gathering.hpp"

#include <tactus/base/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr int k_questions = 16;  // of which the one that is answered most quickly counts

// What a message begins with.
enum class word : unsigned char {
  number,  // 8 bytes follow for each
  wrong,   // a text
  piece,   // of a share
  last,    // a number: how many events are missing in the share
  none,    // the share will not come, or not all of it
};

std::vector<std::byte> say(word what, std::string_view text = {}) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  std::vector<std::byte> all{static_cast<std::byte>(what)};
  all.insert(all.end(), bytes, bytes + text.size());
  return all;
}

// Numbers in the order of bytes that is the same on all machines: the least comes first.
template <class... Ns>
std::vector<std::byte> say_numbers(word what, Ns... numbers) {
  std::vector<std::byte> all{static_cast<std::byte>(what)};
  for (const std::uint64_t n : {static_cast<std::uint64_t>(numbers)...}) {
    for (unsigned bits = 0; bits < 64; bits += 8) {
      all.push_back(static_cast<std::byte>(n >> bits));
    }
  }
  return all;
}

std::uint64_t number_in(std::span<const std::byte> said, std::size_t i = 0) noexcept {
  std::uint64_t n = 0;
  for (unsigned byte = 0; byte < 8 && 1 + 8 * i + byte < said.size(); ++byte) {
    n |= std::to_integer<std::uint64_t>(said[1 + 8 * i + byte]) << 8 * byte;
  }
  return n;
}

word word_of(std::span<const std::byte> said) noexcept {
  return said.empty() ? word::none : static_cast<word>(said.front());
}

// The file is again as it was when it ended there; where it is a pipe, it is not.
void shorten(std::FILE* file, ::off_t to) noexcept {
  if (to >= 0 && std::fflush(file) == 0 && ::ftruncate(::fileno(file), to) == 0) {
    static_cast<void>(::fseeko(file, to, SEEK_SET));
  }
}

}  // namespace

// ---- what is sent ----

share_sender::share_sender(job& processes) : processes_(processes) {
  piece_.reserve(1 + k_piece);
  piece_.push_back(static_cast<std::byte>(word::piece));
  const auto takes = [](void* self, const char* bytes, std::size_t size) -> ::ssize_t {
    return static_cast<::ssize_t>(static_cast<share_sender*>(self)->take(bytes, size));
  };
  file_ = ::fopencookie(this, "w", {.read = nullptr, .write = takes, .seek = nullptr, .close = nullptr});
  if (file_ == nullptr) {
    throw std::bad_alloc();
  }
}

share_sender::~share_sender() { std::fclose(file_); }

std::size_t share_sender::take(const char* bytes, std::size_t size) noexcept {
  for (std::size_t taken = 0; taken < size;) {
    const std::size_t fits = std::min(size - taken, 1 + k_piece - piece_.size());
    const auto* const first = reinterpret_cast<const std::byte*>(bytes) + taken;
    piece_.insert(piece_.end(), first, first + fits);
    taken += fits;
    if (piece_.size() == 1 + k_piece) {
      send();
    }
  }
  return size;
}

void share_sender::send() {
  processes_.tell(0, piece_);
  piece_.resize(1);
}

void share_sender::finish(std::uint64_t lost) {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0) {
    throw std::bad_alloc();
  }
  if (piece_.size() > 1) {
    send();
  }
  processes_.tell(0, say_numbers(word::last, lost));
}

// ---- the begin ----

timeline_gathering::timeline_gathering(job& processes, int here, int count)
    : processes_(processes), here_(here), count_(count) {}

void timeline_gathering::let_in(std::size_t workers, const std::string& wrong) {
  std::uint64_t before = workers;
  std::vector<std::uint64_t> first;
  for (int other = 1; other < count_; ++other) {
    first.push_back(before);
    before += number_in(processes_.hear(other, "begin its timeline"));
  }
  for (int other = 1; other < count_; ++other) {
    processes_.tell(other, wrong.empty() ? say_numbers(word::number, first[static_cast<std::size_t>(other - 1)])
                                         : say(word::wrong, wrong));
  }
}

std::size_t timeline_gathering::enter(std::size_t workers) {
  processes_.tell(0, say_numbers(word::number, workers));
  const std::vector<std::byte> said = processes_.hear(0, "begin the timeline");
  if (word_of(said) != word::number) {
    const std::string_view all(reinterpret_cast<const char*>(said.data()), said.size());
    throw config_error(std::string(all.substr(std::min<std::size_t>(all.size(), 1))));
  }
  return number_in(said);
}

void timeline_gathering::compare_clocks() {
  if (here_ != 0) {
    answer_comparison();
    return;
  }
  at_begin_.assign(1, {});
  for (int other = 1; other < count_; ++other) {
    at_begin_.push_back(compare_with(other));
  }
}

clock_comparison timeline_gathering::compare_with(int other) {
  clock_comparison found;
  for (int i = 0; i < k_questions; ++i) {
    const std::int64_t asked = timeline_now();
    processes_.tell(other, say(word::number));
    const std::vector<std::byte> said = processes_.hear(other, "say what its clock says");
    found.add(asked, static_cast<std::int64_t>(number_in(said)), timeline_now());
  }
  return found;
}

void timeline_gathering::answer_comparison() {
  for (int i = 0; i < k_questions; ++i) {
    static_cast<void>(processes_.hear(0, "gather the timeline"));
    processes_.tell(0, say_numbers(word::number, timeline_now()));
  }
}

// ---- the end ----

// One after the other: what waits to be sent waits at its process, so that there is one piece here at a time.
appended_shares timeline_gathering::append_shares(std::FILE* file, std::int64_t start) {
  appended_shares all;
  for (int other = 1; other < count_; ++other) {
    const clock_comparison& first = at_begin_[static_cast<std::size_t>(other)];
    const clock_comparison last = compare_with(other);
    const bool one_clock = first.may_be_the_same() && last.may_be_the_same();
    const clock_point points[] = {one_clock ? clock_point{} : first.best(), one_clock ? clock_point{} : last.best()};
    processes_.tell(other,
                    say_numbers(word::number, start, points[0].at, points[0].ahead, points[1].at, points[1].ahead));
    const ::off_t before = ::ftello(file);
    if (append_share(other, file, all.lost)) {
      const std::int64_t uncertainty = one_clock ? 0 : std::max(first.uncertainty(), last.uncertainty());
      all.uncertainty = std::max(all.uncertainty, uncertainty);
    } else {
      shorten(file, before);
      std::fprintf(stderr, "tactus: the timeline is without place %d, which lacks the memory to send its share\n",
                   other);
    }
  }
  return all;
}

bool timeline_gathering::append_share(int from, std::FILE* file, std::uint64_t& lost) {
  for (;;) {
    const std::vector<std::byte> said = processes_.hear(from, "send its share of the timeline");
    switch (word_of(said)) {
      case word::piece: std::fwrite(said.data() + 1, 1, said.size() - 1, file); break;
      case word::last: lost += number_in(said); return true;
      case word::number:
      case word::wrong:
      case word::none: return false;
    }
  }
}

file_time timeline_gathering::hear_time(std::int64_t start) {
  answer_comparison();
  const std::vector<std::byte> said = processes_.hear(0, "gather the timeline");
  const auto time = [&said](std::size_t i) { return static_cast<std::int64_t>(number_in(said, i)); };
  return {clock_map({time(1), time(2)}, {time(3), time(4)}), start, time(0)};
}

void timeline_gathering::give_up() noexcept {
  constexpr std::array<std::byte, 1> k_none{static_cast<std::byte>(word::none)};
  processes_.tell(0, k_none);
}

}  // namespace tactus::detail
