// SPDX-License-Identifier: Apache-2.0
// Files of distributed arrays that are of something else, or cannot be written: what is told, and that what was there stays.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/temporary.hpp"

namespace {
namespace ts = tactus;

const ts::box<2> k_box = ts::range(-3, 11) * ts::range(2, 15);

template <class E, class F>
void expect(F&& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown: " << words;
  } catch (const ts::multiple_exceptions& e) {
    ADD_FAILURE() << "several: " << e.what();
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << words << " is not in: " << e.what();
  }
}

TEST(checkpoint_errors_test, what_is_of_something_else_is_told) {
  const support::temporary_folder folder;
  const std::string file = folder / "a";
  ts::run(ts::config{.threads = 1, .places = 2}, [&] {
    const auto d = ts::dist<2>::block(k_box);
    ts::dist_array<double, 2> a(d, {.ghost = 1, .name = "u"});
    a.save(file);
    const auto load = [&]<class T>(std::type_identity<T>, const auto& on) {
      static_cast<void>(ts::dist_array<T, 2>::load(file, on));
    };
    expect<ts::usage_error>(
        [&] { load(std::type_identity<float>(), d); },
        file + " has elements 'float64' of 8 bytes, and those of this array are 'float32' of 4 bytes");
    expect<ts::usage_error>([&] { load(std::type_identity<std::int64_t>(), d); }, "'int64' of 8 bytes");
    expect<ts::usage_error>([&] { load(std::type_identity<std::string>(), d); }, "'string' of any length");
    expect<ts::usage_error>(
        [&] { load(std::type_identity<double>(), ts::dist<2>::block(ts::range(0, 2) * ts::range(0, 3))); },
        "is of an array over a region in [(-3,2),(11,15)), which is not that of the distribution");
    expect<ts::usage_error>(
        [&] { static_cast<void>(ts::dist_array<double, 1>::load(file, ts::dist<1>::block(ts::range(0, 4)))); },
        "is of an array over 2 axes, and this one is over 1");
    expect<ts::error>([&] { static_cast<void>(ts::dist_array<double, 2>::load(folder / "none", d)); },
                      "none cannot be read: No such file");
    expect<ts::error>([&] { static_cast<void>(ts::dist_array<double, 2>::load(folder.path().string(), d)); },
                      "is no file");
    expect<ts::error>([&] { a.save(folder / "no/a"); }, "cannot be written: No such file or directory; what was there");
    std::filesystem::create_directory(folder / "b.part");
    expect<ts::error>([&] { a.save(folder / "b"); }, "cannot be written: Is a directory");
    expect<ts::error>([&] { a.save(folder.path().string()); }, "cannot be written: ");

    ts::at_each(ts::places(), [h = a.ref()] { h.send_ghosts(); });
    expect<ts::usage_error>([&] { a.save(file); }, "save: exchange 1 of 'u' is open at place");
    ts::at_each(ts::places(), [h = a.ref()] { h.wait_for_ghosts(); });
    static ts::dist_array<double, 2>* s_array = nullptr;
    s_array = &a;
    static std::string s_file;
    s_file = file;
    expect<ts::place_error>([] { ts::at(ts::place(1), [] { s_array->save(s_file); }); },
                            "save: 'u' was made at place 0");
    expect<ts::atomic_use_error>([&] { ts::atomic([&] { a.save(file); }); }, "inside an atomic block");
    expect<ts::atomic_use_error>([&] { ts::atomic([&] { load(std::type_identity<double>(), d); }); },
                                 "inside an atomic block");
  });
}

struct of_no_namespace {};

TEST(checkpoint_errors_test, types_have_the_same_name_to_all_compilers) {
  const auto name = []<class T>(std::type_identity<T>) { return ts::detail::type_name_for_files<T>(); };
  EXPECT_EQ(name(std::type_identity<long>()), name(std::type_identity<std::int64_t>()));
  EXPECT_EQ(name(std::type_identity<unsigned char>()), "uint8");
  EXPECT_EQ(name(std::type_identity<std::complex<double>>()), "complex128");
  EXPECT_EQ((name(std::type_identity<std::vector<std::pair<std::string, std::array<float, 3>>>>())),
            "vector<pair<string,array<float32,3>>>");
  EXPECT_EQ(name(std::type_identity<of_no_namespace>()), "(anonymous namespace)::of_no_namespace");
  EXPECT_EQ(name(std::type_identity<ts::place>()), "tactus::place");
}

// ---- what cannot be written ----

void fill_and_save(const std::string& file, int value, int cells = 1000) {
  ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, cells)), {.name = "a"});
  a.fill(value);
  a.save(file);
}
int value_in(const std::string& file, int cells = 1000) {
  const auto a = ts::dist_array<int, 1>::load(file, ts::dist<1>::block(ts::range(0, cells)));
  EXPECT_EQ(a.min_at().second, a.max_at().second);
  return a.max_at().second;
}

TEST(checkpoint_errors_test, a_limit_of_files_leaves_the_old_one) {
  const support::temporary_folder folder;
  const std::string file = folder / "a";
  ts::run(ts::config{.threads = 2, .places = 2}, [&] {
    fill_and_save(file, 1);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 3000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
    expect<ts::resource_error>([&] { fill_and_save(file, 2); }, "there is no room for " + file + ": File too large");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
    EXPECT_EQ(value_in(file), 1);
    fill_and_save(file, 3);
    EXPECT_EQ(value_in(file), 3);
  });
}

// The folder of a test with a process of its own, which begins the test anew and finds it there.
class shared_folder {
public:
  shared_folder() {
    if (const char* const known = std::getenv("FOLDER_OF_TEST")) {
      path_ = known;
    } else {
      path_ = own_.emplace().path().string();
      setenv("FOLDER_OF_TEST", path_.c_str(), 1);
    }
  }
  ~shared_folder() { unsetenv("FOLDER_OF_TEST"); }
  shared_folder(const shared_folder&) = delete;
  shared_folder& operator=(const shared_folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::optional<support::temporary_folder> own_;
  std::string path_;
};

bool say(const char* file, const std::string& text) { return static_cast<bool>((std::ofstream(file) << text).flush()); }

// In a process of its own, whose folder is a file system of 64 KiB. 77: that is not allowed here.
void save_where_room_is_short(const std::string& folder) {
  const std::string user = "0 " + std::to_string(getuid()) + " 1";
  const std::string group = "0 " + std::to_string(getgid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !say("/proc/self/uid_map", user) ||
      !say("/proc/self/setgroups", "deny") || !say("/proc/self/gid_map", group) ||
      mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
    std::exit(77);
  }
  ts::run(ts::config{.threads = 1, .places = 2}, [&] {
    const std::string file = folder + "/a";
    fill_and_save(file, 1);
    expect<ts::resource_error>([&] { fill_and_save(file, 2, 100000); },
                               "there is no room for " + file + ": No space left on device");
    EXPECT_EQ(value_in(file), 1);
    fill_and_save(file, 3, 2000);
    EXPECT_EQ(value_in(file, 2000), 3);
  });
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(checkpoint_errors_test, a_full_disk_leaves_the_old_file) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const shared_folder folder;
  bool is_allowed = true;
  EXPECT_EXIT(
      save_where_room_is_short(folder.path()),
      [&](int status) {
        is_allowed = !(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        return !is_allowed || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
      },
      "");
  if (!is_allowed) {
    GTEST_SKIP() << "this machine lets nobody mount";
  }
}

// Ends the process, or throws, when it is written for the second time: the first time it is counted.
struct trap {
  std::string what;
  int number = 0;
  template <class Ar>
  void serialize(Ar& ar) {
    ar & what & number;
    if constexpr (!Ar::loading && !Ar::counting) {
      if (what == "end") _exit(3);
      if (what == "throw") throw std::runtime_error("as it was told");
    }
  }
};

void save_traps(const std::string& file, const std::string& what) {
  ts::dist_array<trap, 1> a(ts::dist<1>::block(ts::range(0, 9)), {.name = "a"});
  a.for_each([](ts::point<1> p, trap& x) { x.number = static_cast<int>(p[0]); });
  a.set(ts::point<1>(7), {"", 100});
  const auto h = a.ref();
  ts::at(a.dist().owner(ts::point<1>(7)), [h](const std::string& w) { h(7).what = w; }, what);
  a.save(file);
}
int third_trap(const std::string& file) {
  return ts::dist_array<trap, 1>::load(file, ts::dist<1>::cyclic(ts::range(0, 9))).get(ts::point<1>(7)).number;
}

TEST(checkpoint_errors_test, what_a_serialize_throws_leaves_the_old_file) {
  const support::temporary_folder folder;
  const std::string file = folder / "a";
  ts::run(ts::config{.threads = 1, .places = 3}, [&] {
    save_traps(file, "");
    expect<std::runtime_error>([&] { save_traps(file, "throw"); }, "as it was told");
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
    EXPECT_EQ(third_trap(file), 100);
  });
}

TEST(checkpoint_errors_test, an_interrupted_save_leaves_the_old_file) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const shared_folder folder;
  const std::string file = folder.path() + "/a";
  const auto save = [&file](const std::string& what) {
    ts::run(ts::config{.threads = 1, .places = 3}, [&] { save_traps(file, what); });
  };
  EXPECT_EXIT((save(""), save("end")), testing::ExitedWithCode(3), "");
  EXPECT_TRUE(std::filesystem::exists(file + ".part"));
  ts::run(ts::config{.threads = 1, .places = 2}, [&] {
    EXPECT_EQ(third_trap(file), 100);
    save_traps(file, "");  // over what was left
    EXPECT_EQ(third_trap(file), 100);
  });
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST(checkpoint_errors_test, of_two_saves_at_once_one_is_told) {
  const support::temporary_folder folder;
  const std::string file = folder / "a";
  ts::run(ts::config{.threads = 4, .places = 1}, [&] {
    for (int i = 0; i < 30; ++i) {
      std::atomic<int> told{0};
      ts::finish([&] {
        for (int value = 1; value <= 3; ++value) {
          ts::async(ts::spawn_policy::help_first, [&file, &told, value] {
            try {
              fill_and_save(file, value, 20000);
            } catch (const ts::error& e) {
              EXPECT_NE(std::string(e.what()).find("is being written by another save"), std::string::npos) << e.what();
              ++told;
            }
          });
        }
      });
      EXPECT_LT(told, 3);
      const int value = value_in(file, 20000);
      EXPECT_TRUE(value >= 1 && value <= 3) << value;
    }
  });
}

}  // namespace
