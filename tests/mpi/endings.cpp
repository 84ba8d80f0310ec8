// SPDX-License-Identifier: Apache-2.0
// How a run ends where a rank cannot make anything of its end, or cannot tell it: `endings unreadable` ends with status 0 at each rank where
// that is told; `endings unsaid` and `endings poor` end with the reason; `endings refused` ends with status 0, whatever there was no memory for.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

std::atomic<std::size_t> g_longest{std::numeric_limits<std::size_t>::max()};  // for what is longer there is no memory

}  // namespace

// Not inlined: compilers would see malloc's memory go to delete. Both forms: AddressSanitizer has one of its own for each that is missing.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return bytes <= g_longest ? std::malloc(bytes) : nullptr;
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const p = operator new(bytes, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t /*bytes*/) noexcept { std::free(p); }

namespace {
namespace ts = tactus;

// Reads more than it has written.
struct unreadable_error : std::runtime_error {
  unreadable_error() : std::runtime_error("unreadable") {}

  template <class Archive>
  void serialize(Archive& archive) {
    archive & code;
    if constexpr (Archive::loading) {
      int more = 0;
      archive & more;
    }
  }

  int code = 5;
};
const ts::register_exception<unreadable_error> k_unreadable;

// Rank 0 throws what has escaped, the others that it cannot be read; and all of them go on with the next run.
int exception_that_cannot_be_read() {
  ts::runtime rt;
  bool has_thrown = false;
  try {
    rt.run([] { throw unreadable_error(); });
  } catch (const ts::error& /*e*/) {
    has_thrown = true;
  }
  const int places = rt.run([] { return ts::num_places(); });
  if (!has_thrown) {
    std::fprintf(stderr, "endings: a rank of %d returned as if nothing had been thrown\n", places);
  }
  return has_thrown ? 0 : 1;
}

// Rank 0 has memory for the bytes of what it returns, and not for a frame around them.
int result_without_memory_for_its_frames() {
  constexpr std::size_t k_bytes = std::size_t{1} << 20U;
  constexpr std::size_t k_its_length = 8;
  const std::vector<char> result = ts::run([] {
    std::vector<char> much(k_bytes);
    g_longest = k_bytes + k_its_length;
    return much;
  });
  return result.size() == k_bytes ? 0 : 1;
}

// Rank 1 has no memory for the arguments, nor for as many bytes that nobody wants.
int arguments_without_memory() {
  constexpr std::size_t k_most = std::size_t{32} << 20U;
  constexpr std::size_t k_numbers = 8'000'000;
  const int failed = ts::run([] {
    const ts::place other(1);
    ts::at(other, [] { g_longest = k_most; });
    for (int i = 0; i < 3; ++i) {
      try {
        ts::at(
            other, [](const std::vector<double>&, const std::vector<double>&) {}, std::vector<double>(k_numbers, 1.5),
            std::vector<double>(k_numbers, 2.5));
        return 1;
      } catch (const std::bad_alloc& /*e*/) {
      } catch (const ts::remote_exception& /*e*/) {
      }
    }
    const double last =
        ts::at(other, [](const std::vector<double>& v) { return v.back(); }, std::vector<double>(k_numbers / 4, 3.5));
    return last == 3.5 ? 0 : 2;
  });
  if (failed != 0) {
    std::fprintf(stderr, "endings: refused: %d\n", failed);
  }
  return failed;
}

// There is none for what the ranks tell each other at the end of their runtime.
int end_without_memory() {
  {
    ts::runtime rt;
    rt.run([] {});
    g_longest = 0;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "unreadable") {
    return exception_that_cannot_be_read();
  }
  if (what == "unsaid") {
    return result_without_memory_for_its_frames();
  }
  if (what == "refused") {
    return arguments_without_memory();
  }
  if (what == "poor") {
    return end_without_memory();
  }
  std::fprintf(stderr, "endings: unreadable, unsaid, refused or poor, not '%s'\n", argc > 1 ? argv[1] : "");
  return 2;
}
