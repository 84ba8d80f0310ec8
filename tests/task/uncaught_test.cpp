// SPDX-License-Identifier: Apache-2.0
// run(argc, argv, ...): how a program ends by an error that nobody catches.
#include <tactus/base/impl/platform.hpp>
#include <tactus/tactus.hpp>

#include "support/starts_anew.hpp"
#include "support/temporary.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

namespace ts = tactus;

namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

/// Death tests start the program anew; what ends it is thrown where nobody catches, since GoogleTest would: in a thread.
class uncaught_test : public testing::Test {
protected:
  void SetUp() override { SUPPORT_START_ANEW(); }
};

template <class F>
void where_nobody_catches(F f) {
  std::thread(std::move(f)).join();
}

/// As main does, with one flag.
template <class Body>
void run_main(std::string flag, Body body) {
  std::string name = "program";
  char* arguments[] = {name.data(), flag.data(), nullptr};
  static_cast<void>(ts::run(2, arguments, body));
}

template <class Body>
void run_main(Body body) {
  run_main("--tactus-threads=2", body);
}

template <class Body>
void run_main_uncaught(Body body) {
  where_nobody_catches([body] { run_main(body); });
}

void fail_to_write() {
  ts::finish([] { ts::async(ts::named("writer"), [] { throw std::runtime_error("disk full"); }); });
}

void wait_for_nothing() {
  const ts::promise<int> never;
  ts::finish([&] { ts::async(ts::named("reader"), [f = never.get_future()] { f.get(); }); });
}

// Where g++ gives functions something to do when an exception leaves them: under ThreadSanitizer, and unoptimised.
#if defined(__OPTIMIZE__) || defined(__clang__)
constexpr bool k_has_cleanups_everywhere = TACTUS_TSAN;
#else
constexpr bool k_has_cleanups_everywhere = true;
#endif

TEST_F(uncaught_test, a_bad_configuration_ends_with_its_text_and_64) {
  EXPECT_EXIT(where_nobody_catches([] { run_main("--tactus-threads=many", [] {}); }), ExitedWithCode(64),
              "^tactus: --tactus-threads = 'many' is not allowed[^\n]*\n$");
}

TEST_F(uncaught_test, a_deadlock_ends_with_its_text_and_70) {
  EXPECT_EXIT(run_main_uncaught(wait_for_nothing), ExitedWithCode(70),
              "^tactus: deadlock: [^\n]*\n  task 'reader' waits for [^\n]*\n$");
}

TEST_F(uncaught_test, what_escapes_from_tasks_ends_with_its_text_and_1) {
  EXPECT_EXIT(run_main_uncaught(fail_to_write), ExitedWithCode(1),
              "^tactus: 1 exception: std::runtime_error: \"disk full\" \\(task 'writer'\\)\n$");
}

TEST_F(uncaught_test, any_other_error_of_ours_ends_with_its_text_and_1_also_after_the_run) {
  EXPECT_EXIT(where_nobody_catches([] {
                run_main([] {});
                ts::async([] {});
              }),
              ExitedWithCode(1), "^tactus::async was called from a thread that runs no task[^\n]*\n$");
}

TEST_F(uncaught_test, an_error_of_ours_in_a_static_destructor_ends_with_1) {
  if (k_has_cleanups_everywhere) GTEST_SKIP() << "see on_terminate() about g++ before 14";
  struct last {
    ~last() {
      ts::async([] {});
    }
  };
  EXPECT_EXIT(
      {
        run_main([] {});
        static const last one;
        std::exit(0);
      },
      ExitedWithCode(1), "tactus::async was called from a thread");
}

TEST_F(uncaught_test, an_error_of_ours_that_leaves_a_noexcept_function_of_a_task_ends_with_1) {
  EXPECT_EXIT(run_main([] { ts::async([]() noexcept { fail_to_write(); }); }), ExitedWithCode(1), "disk full");
}

void fail_otherwise() { throw std::runtime_error("not ours"); }
void abandon() noexcept { fail_otherwise(); }

TEST_F(uncaught_test, what_is_not_ours_goes_to_the_handler_that_was_there) {
  EXPECT_EXIT(where_nobody_catches([] {
                run_main([] {});
                fail_otherwise();
              }),
              KilledBySignal(SIGABRT), "not ours");
  EXPECT_EXIT(run_main([] { ts::async(abandon); }), KilledBySignal(SIGABRT), "not ours");
  EXPECT_EXIT(
      {
        std::set_terminate([] {
          try {
            throw;
          } catch (const std::runtime_error& e) {
            _exit(std::string(e.what()) == "not ours" ? 33 : 34);
          }
        });
        run_main([] { ts::async(abandon); });
      },
      ExitedWithCode(33), "^$");
}

TEST_F(uncaught_test, an_end_without_an_exception_goes_to_the_handler_that_was_there) {
  EXPECT_EXIT(
      {
        std::set_terminate([] { _exit(std::current_exception() == nullptr ? 33 : 34); });
        run_main([] { std::terminate(); });
      },
      ExitedWithCode(33), "^$");
}

TEST_F(uncaught_test, a_handler_that_the_program_sets_later_stays) {
  EXPECT_EXIT(
      {
        run_main([] {});
        std::set_terminate([] { _exit(33); });
        run_main([]() noexcept { fail_to_write(); });
      },
      ExitedWithCode(33), "^$");
}

TEST_F(uncaught_test, a_run_embedded_in_a_program_installs_nothing) {
  EXPECT_EXIT(
      {
        const std::terminate_handler before = std::get_terminate();
        ts::run([] {});
        ts::run(ts::config{.threads = 1}, [] {});
        char* none[] = {nullptr};
        ts::runtime(ts::config{.threads = 1}, 0, none).run([] {});
        _exit(std::get_terminate() == before ? 33 : 34);
      },
      ExitedWithCode(33), "");
}

TEST_F(uncaught_test, a_program_that_catches_goes_on) {
  EXPECT_EXIT(
      {
        try {
          run_main(fail_to_write);
        } catch (const ts::multiple_exceptions&) {
          _exit(33);
        }
      },
      ExitedWithCode(33), "^$");
}

// Where the test can see it, and with a buffer that nothing but a flush empties.
void lead_stdout_to_stderr() {
  std::cout << std::flush;
  std::fflush(stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
}

TEST_F(uncaught_test, what_was_printed_comes_before_the_text) {
  EXPECT_EXIT(
      {
        lead_stdout_to_stderr();
        std::printf("printed, ");
        run_main_uncaught(fail_to_write);
      },
      ExitedWithCode(1), "^printed, tactus: 1 exception");
  EXPECT_EXIT(
      {
        lead_stdout_to_stderr();
        std::ios_base::sync_with_stdio(false);
        std::cout << "streamed, ";
        run_main_uncaught(fail_to_write);
      },
      ExitedWithCode(1), "^streamed, tactus: 1 exception");
}

TEST_F(uncaught_test, a_thread_that_keeps_stdout_locked_does_not_keep_the_process) {
  if (TACTUS_TSAN) GTEST_SKIP() << "its _exit waits for stdout";
  EXPECT_EXIT(
      {
        ::flockfile(stdout);
        run_main_uncaught(fail_to_write);
      },
      ExitedWithCode(1), "disk full");
}

TEST_F(uncaught_test, the_timeline_is_written) {
  const support::temporary_folder folder;
  const std::string file = folder / "timeline.json";
  // A child of this process: the program started anew would have another folder.
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(where_nobody_catches([&file] { run_main("--tactus-trace=" + file, wait_for_nothing); }),
              ExitedWithCode(70), "deadlock");
  const std::string written = support::contents_of(file);
  EXPECT_NE(written.find("\"reader\""), std::string::npos) << written;
}

TEST_F(uncaught_test, the_timeline_of_a_run_without_arguments_is_written_too) {
  const support::temporary_folder folder;
  const std::string file = folder / "timeline.json";
  GTEST_FLAG_SET(death_test_style, "fast");  // as above
  EXPECT_EXIT(where_nobody_catches(
                  [&file] { ts::run(ts::config{.threads = 2, .trace = file, .env = false}, wait_for_nothing); }),
              KilledBySignal(SIGABRT), "");
  const std::string written = support::contents_of(file);
  EXPECT_NE(written.find("\"reader\""), std::string::npos) << written;
}

}  // namespace
