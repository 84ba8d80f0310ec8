// SPDX-License-Identifier: Apache-2.0
// How files of arrays come to be: docs/checkpoint-format.md, "Writing".
#include <tactus/array/impl/checkpoint_file.hpp>

#include <tactus/base/error.hpp>

#include "array/checkpoint_errors.hpp"
#include "array/checkpoint_head.hpp"
#include "array/owned_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// A limit on the size of files (RLIMIT_FSIZE) is told by a signal, which would end the program; here it is an error like others.
class limit_is_an_error {
public:
  limit_is_an_error() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~limit_is_an_error() {
    const int reason = errno;
    if (sigismember(&before_, SIGXFSZ) == 0) {
      const timespec at_once{};
      while (sigtimedwait(&signal_, nullptr, &at_once) == SIGXFSZ) {
      }
      pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    errno = reason;
  }
  limit_is_an_error(const limit_is_an_error&) = delete;
  limit_is_an_error& operator=(const limit_is_an_error&) = delete;

private:
  sigset_t signal_{};
  sigset_t before_{};
};

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

class writer_of_part final : public checkpoint_writer {
public:
  writer_of_part(const std::string& path, checkpoint_role role) : path_(path), part_(path + ".part") {
    if (role == checkpoint_role::maker) {
      begin();
    } else {
      file_ = owned_file(::open(part_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
      if (!file_) {
        fail();
      }
    }
  }
  ~writer_of_part() override {
    if (is_begun_) {
      ::unlink(part_.c_str());
    }
  }
  writer_of_part(const writer_of_part&) = delete;
  writer_of_part& operator=(const writer_of_part&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const limit_is_an_error now;
    while (!bytes.empty()) {
      constexpr std::size_t k_most = std::size_t{1} << 30U;  // of one call
      const ssize_t n =
          ::pwrite(file_.number(), bytes.data(), std::min(bytes.size(), k_most), static_cast<off_t>(offset));
      if (n == 0) {
        errno = EIO;
      }
      if (n == 0 || (n < 0 && errno != EINTR)) {
        fail();
      }
      if (n > 0) {
        offset += static_cast<std::uint64_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
      }
    }
  }

  void settle() override {
    if (::fsync(file_.number()) != 0) {
      fail();
    }
  }

  void publish(const checkpoint_head& head) override {
    const std::vector<std::byte> bytes = bytes_of(head);
    write(0, bytes);
    settle();
    if (std::rename(part_.c_str(), path_.c_str()) != 0) {
      fail();
    }
    is_begun_ = false;
    // The name, too, is to outlive a crash of the machine; where folders cannot be told so, it does as far as it goes.
    const owned_file folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder && ::fsync(folder.number()) != 0 && errno != EINVAL && errno != EROFS) {
      fail();
    }
  }

private:
  // What an interrupted save has left is used again. That nobody else writes it is what the lock says; who had it may have given it its
  // name meanwhile, and then it is another file.
  void begin() {
    for (;;) {
      file_ = owned_file(::open(part_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
      if (!file_) {
        fail();
      }
      struct stat mine{};
      struct stat named{};
      if (::fstat(file_.number(), &mine) != 0) {
        fail();
      }
      if (!S_ISREG(mine.st_mode)) {
        throw error("tactus: save: " + part_ + ", where " + path_ +
                    " is to be written first, is there and is no file; remove it, or give another name");
      }
      if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
          throw error("tactus: save: " + path_ +
                      " is being written by another save; wait for that, or give another name");
        }
        if (errno != ENOTSUP && errno != ENOLCK) {
          fail();
        }
      }
      if (::stat(part_.c_str(), &named) == 0 && named.st_dev == mine.st_dev && named.st_ino == mine.st_ino) {
        break;
      }
    }
    is_begun_ = true;
    if (::ftruncate(file_.number(), 0) != 0) {
      const int why = errno;
      ::unlink(part_.c_str());
      errno = why;
      fail();
    }
  }

  [[noreturn]] void fail() const { throw_file_error(file_use::save, path_, errno); }

  const std::string path_;
  const std::string part_;
  owned_file file_;
  bool is_begun_ = false;  // and has no name of its own yet
};

}  // namespace

std::unique_ptr<checkpoint_writer> make_checkpoint_writer(const std::string& path, checkpoint_role role) {
  return std::make_unique<writer_of_part>(path, role);
}

void throw_file_error(file_use use, const std::string& path, int number) {
  const std::string reason = std::generic_category().message(number);
  if (use == file_use::load) {
    throw error("tactus: load: " + path + " cannot be read: " + reason);
  }
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
    throw resource_error("tactus: save: there is no room for " + path + ": " + reason +
                         "; what was there before is as it was. Free some, or name another folder");
  }
  throw error("tactus: save: " + path + " cannot be written: " + reason + "; what was there before is as it was");
}

}  // namespace tactus::detail
