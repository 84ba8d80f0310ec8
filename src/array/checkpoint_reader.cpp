// SPDX-License-Identifier: Apache-2.0
// How files of arrays are read: docs/checkpoint-format.md, "Reading".
#include <tactus/array/impl/checkpoint_file.hpp>

#include <tactus/base/error.hpp>

#include "array/checkpoint_errors.hpp"
#include "array/checkpoint_head.hpp"
#include "array/owned_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace tactus::detail {
namespace {

class reader_of_file final : public checkpoint_reader {
public:
  // O_NONBLOCK: what is no file does not keep it waiting.
  explicit reader_of_file(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat about{};
    if (!file_ || ::fstat(file_.number(), &about) != 0) {
      throw_file_error(file_use::load, path_, errno);
    }
    if (!S_ISREG(about.st_mode)) {
      throw error("tactus: load: " + path_ + " is no file");
    }
    const auto size = static_cast<std::uint64_t>(about.st_size);
    std::array<std::byte, k_checkpoint_begin> begin{};
    if (size < begin.size()) {
      throw error("tactus: load: " + path_ + " is no file of an array, or has been cut short: it has " +
                  std::to_string(size) + " bytes, and the shortest has " + std::to_string(begin.size()));
    }
    read_at(0, begin, "its head");
    std::vector<std::byte> head(static_cast<std::size_t>(length_of_head(begin, size, path_)));
    read_at(0, head, "its head");
    head_ = head_of(head, size, path_);
  }

  [[nodiscard]] const checkpoint_head& head() const noexcept override { return head_; }

  void read(std::size_t block, std::uint64_t offset, std::span<std::byte> to) const override {
    read_at(offset, to, "block " + std::to_string(block));
  }

  [[noreturn]] void damaged(std::size_t block, const std::string& what) const override {
    if (block == k_whole_file) {
      throw error("tactus: load: " + path_ + " is damaged: " + what);
    }
    throw error("tactus: load: " + path_ + " is damaged: block " + std::to_string(block) + ", which begins at byte " +
                std::to_string(head_.blocks[block].offset) + ": " + what);
  }

  [[noreturn]] void other(const std::string& what) const override {
    throw usage_error("tactus: load: " + path_ + " " + what);
  }

private:
  void read_at(std::uint64_t offset, std::span<std::byte> to, const std::string& of_what) const {
    while (!to.empty()) {
      constexpr std::size_t k_most = std::size_t{1} << 30U;  // of one call
      const ssize_t n = ::pread(file_.number(), to.data(), std::min(to.size(), k_most), static_cast<off_t>(offset));
      if (n < 0 && errno != EINTR) {
        throw_file_error(file_use::load, path_, errno);
      }
      if (n == 0) {
        throw error("tactus: load: " + path_ + " is damaged: it ends at byte " + std::to_string(offset) + ", within " +
                    of_what);
      }
      if (n > 0) {
        offset += static_cast<std::uint64_t>(n);
        to = to.subspan(static_cast<std::size_t>(n));
      }
    }
  }

  const std::string path_;
  const owned_file file_;
  checkpoint_head head_;
};

}  // namespace

void throw_no_memory_for_file(const char* call, const std::string& path) {
  throw resource_error(std::string("tactus: ") + call + " of " + path +
                       ": there is no memory for it; use more places or a smaller array");
}

std::unique_ptr<checkpoint_reader> make_checkpoint_reader(const std::string& path) {
  return std::make_unique<reader_of_file>(path);
}

}  // namespace tactus::detail
