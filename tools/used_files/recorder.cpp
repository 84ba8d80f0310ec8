// SPDX-License-Identifier: Apache-2.0
// Writes down what programs use, for tools/check_packages: ./dev packages builds it as a library of its own and has
// every process preload it. To the file that DEV_USED_FILES names it adds lines of three fields, parted by tabs:
//   run   PROGRAM FILE     the program runs; FILE is what was asked for: it, a name of it, or a script that it reads
//   load  PROGRAM FILE     a shared library that it uses; not said of Debian's programs, whose libraries come with them
//   open  PROGRAM FILE     g++ or gcc, the linker, cmake or pkg-config reads the file (of clang's, ninja knows)
//   build PROGRAM FOLDER   ninja works in the folder
// Nothing but the C library is needed, and nothing changes for the process: no descriptor stays open, errno is kept.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

char program[PATH_MAX];    // empty: nothing is recorded
bool is_reader = false;    // the files that it opens by fopen count
bool is_compiler = false;  // those that it reads count: it opens headers also to ask whether they are there

// While it lives, a file that may not get longer (RLIMIT_FSIZE) costs a line, and not the process.
class without_limit_signal {
public:
  without_limit_signal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  without_limit_signal(const without_limit_signal&) = delete;
  without_limit_signal& operator=(const without_limit_signal&) = delete;
  ~without_limit_signal() {
    const timespec at_once{};
    if (!was_pending_) {
      sigtimedwait(&signal_, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

// One write to a file that is only appended to: whole, whoever else writes. Here and below, frames are small: a test
// calls exec on a stack of two pages.
void record(const char* what, const char* file) {
  const int before = errno;
  const char* target = getenv("DEV_USED_FILES");
  if (target != nullptr) {
    const auto descriptor =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (descriptor >= 0) {
      const auto part = [](const char* text) { return iovec{const_cast<char*>(text), strlen(text)}; };
      const iovec line[] = {part(what), part("\t"), part(program), part("\t"), part(file), part("\n")};
      const without_limit_signal held;
      (void)!writev(descriptor, line, sizeof line / sizeof line[0]);
      syscall(SYS_close, descriptor);
    }
  }
  errno = before;
}

bool starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

// By the names that their programs have on Debian.
bool is_one_of_gcc(const char* name) { return starts_with(name, "cc1") || starts_with(name, "lto1"); }

bool is_linker_or_finder(const char* name) {
  return starts_with(name, "cmake") || starts_with(name, "pkgconf") || starts_with(name, "pkg-config") ||
         strstr(name, "-linux-gnu-ld") != nullptr;
}

void record_absolute(const char* what, const char* file) {
  const int before = errno;
  if (file[0] == '/') {
    record(what, file);
  } else {
    static char path[2 * PATH_MAX];  // of no thread: a line that two of them spoil is one of a relative path
    const size_t size = strlen(file) + 1;
    if (size <= PATH_MAX && getcwd(path, PATH_MAX - 1) != nullptr) {
      const size_t folder = strlen(path);
      path[folder] = '/';
      memcpy(path + folder + 1, file, size);
      record(what, path);
    }
  }
  errno = before;
}

int record_library(dl_phdr_info* library, size_t /*size*/, void* /*unused*/) {
  if (library->dlpi_name != nullptr && library->dlpi_name[0] == '/') {
    record("load", library->dlpi_name);
  }
  return 0;
}

void record_libraries() {
  if (!starts_with(program, "/usr/")) {
    dl_iterate_phdr(record_library, nullptr);
  }
}

[[gnu::constructor]] void record_start() {
  if (getenv("DEV_USED_FILES") == nullptr) {
    return;
  }
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  const char* slash = strrchr(program, '/');
  if (slash == nullptr) {
    return;
  }
  const auto* asked = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  record_absolute("run", asked != nullptr ? asked : program);
  record_libraries();
  is_reader = is_linker_or_finder(slash + 1);
  is_compiler = is_one_of_gcc(slash + 1);
  if (strcmp(slash + 1, "ninja") == 0) {
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) != nullptr) {
      record("build", folder);
    }
  }
}

// Libraries that were loaded on the way.
[[gnu::destructor]] void record_end() {
  if (program[0] != '\0') {
    record_libraries();
  }
}

void started(const char* file) {
  if (program[0] != '\0' && access(file, X_OK) == 0) {
    record_absolute("run", file);
  }
}

[[gnu::noinline]] void record_descriptor(int descriptor) {
  const int before = errno;
  char link[32];
  char file[PATH_MAX];  // on a stack of gcc's
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, file, sizeof file - 1);
  if (length > 0 && file[0] == '/') {
    file[length] = '\0';
    record("open", file);
  }
  errno = before;
}

// The function of the C library that one of ours replaces. record_start has found it, unless a library that was there
// before us calls it.
template <class Function>
Function* replaced(Function*& kept, const char* name) {
  if (kept == nullptr) {
    kept = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  }
  return kept;
}

using fopen_function = FILE*(const char*, const char*);
using read_function = ssize_t(int, void*, size_t);
fopen_function* fopen_of_c = nullptr;
fopen_function* fopen64_of_c = nullptr;
read_function* read_of_c = nullptr;

[[gnu::constructor]] void find_replaced() {
  replaced(fopen_of_c, "fopen");
  replaced(fopen64_of_c, "fopen64");
  replaced(read_of_c, "read");
}

FILE* fopen_as(fopen_function* function, const char* file, const char* mode) {
  FILE* const result = function(file, mode);
  if (is_reader && result != nullptr) {
    record_absolute("open", file);
  }
  return result;
}

}  // namespace

// What programs call instead of the C library's functions; fopen64 where they ask for long offsets of files.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's headers have reserved names.
extern "C" {

FILE* fopen(const char* file, const char* mode) { return fopen_as(replaced(fopen_of_c, "fopen"), file, mode); }

FILE* fopen64(const char* file, const char* mode) { return fopen_as(replaced(fopen64_of_c, "fopen64"), file, mode); }

ssize_t read(int descriptor, void* to, size_t size) {
  if (is_compiler) {
    record_descriptor(descriptor);
  }
  return replaced(read_of_c, "read")(descriptor, to, size);
}

// Static programs preload nothing: the shell and Python, which start what a script calls, say so for them. The system
// call itself, for a child of vfork may not look functions up.
int execve(const char* file, char* const* arguments, char* const* environment) {
  started(file);
  return static_cast<int>(syscall(SYS_execve, file, arguments, environment));
}

int execv(const char* file, char* const* arguments) { return execve(file, arguments, environ); }
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
