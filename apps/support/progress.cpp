// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include "output.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace apps {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto k_first_shown_after = 1s;
constexpr auto k_rewrite_every = 250ms;
constexpr auto k_line_every = 1s;

// What cannot be made, for want of memory, or cannot be written is not shown; that the program ended for it would be worse.
template <class Line>
void show(const Line& line) noexcept {
  try {
    tell(line());
  } catch (const std::exception&) {
    return;
  }
}

double seconds_since(steady::time_point start) { return std::chrono::duration<double>(steady::now() - start).count(); }

}  // namespace

progress_style progress_style_for_stderr(bool asked) {
  if (isatty(STDERR_FILENO) == 1) {
    return progress_style::rewriting;
  }
  return asked ? progress_style::lines : progress_style::silent;
}

progress_stage::progress_stage(progress_style style, std::string what, std::uint64_t total)
    : style_(style), what_(std::move(what)), total_(total) {
  begin_to_show();
}

progress_stage::progress_stage(progress_style style, std::string what, std::function<double()> fraction)
    : style_(style), what_(std::move(what)), total_(0), fraction_(std::move(fraction)) {
  begin_to_show();
}

void progress_stage::begin_to_show() {
  if (style_ == progress_style::silent) {
    return;
  }
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { show_until(stop); });
  } catch (const std::system_error&) {
    tell(what_ + ": no thread is left to show progress\n");  // the work goes on
  }
}

progress_stage::~progress_stage() = default;  // the thread is the last member: it is stopped and joined first

void progress_stage::show_until(const std::stop_token& stop) {
  const auto start = steady::now();
  const auto wait = [&](auto time) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
  };
  if (wait(k_first_shown_after)) {
    return;
  }
  const bool rewriting = style_ == progress_style::rewriting;
  do {
    show([&] {
      const std::string line = fmt::format("{} ({:.1f} s)", text(), seconds_since(start));
      return rewriting ? fmt::format("\r{}\033[K", line) : line + "\n";
    });
  } while (!(rewriting ? wait(k_rewrite_every) : wait(k_line_every)));
  show([&] {
    return rewriting ? std::string("\r\033[K") : fmt::format("{}: done after {:.1f} s\n", what_, seconds_since(start));
  });
}

std::string progress_stage::text() {
  if (fraction_) {
    furthest_ = std::max(furthest_, std::clamp(fraction_(), 0.0, 0.99));
    return fmt::format("{}: about {:.0f} %", what_, 100 * furthest_);
  }
  const std::uint64_t done = done_.load(std::memory_order_relaxed);  // relaxed: see done()
  if (total_ == 0) {
    return fmt::format("{}: {} M", what_, done / 1'000'000);
  }
  return fmt::format("{}: {:.0f} %", what_,
                     100 * static_cast<double>(std::min(done, total_)) / static_cast<double>(total_));
}

}  // namespace apps
