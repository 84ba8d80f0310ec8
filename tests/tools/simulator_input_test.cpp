// SPDX-License-Identifier: Apache-2.0
// The files that tactus simulate reads.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "simulator/costs.hpp"
#include "simulator/machine.hpp"
#include "simulator/table.hpp"

namespace {

using simulator::bad_input;
using simulator::costs;
using simulator::k_where_parent_runs;
using simulator::simulate;
using simulator::workload;

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const bad_input& error) {
    return error.what();
  }
  return "no error";
}

workload table_of(const std::string& text) {
  std::istringstream in(text);
  return simulator::table(in, "run.tpp");
}

TEST(tables, put_children_together_and_keep_where_they_are_designated_to) {
  const workload w = table_of(
      "tactus-tasks 1\n"
      "# id parent place ns bytes result_bytes kind site\n"
      "7 5 1 30 0 0 sensitive f\n"
      "5 0 1 100 64 8 flexible main.cpp:12\n"
      "\n"
      "9 5 0 20 16 0 flexible g\n"
      "8 7 1 1 0 0 flexible h\n");
  ASSERT_EQ(w.tasks.size(), 4U);
  EXPECT_EQ(w.roots, std::vector<std::uint32_t>{0});
  EXPECT_EQ(w.tasks[0].children, 2U);
  EXPECT_EQ(w.tasks[0].place, 1);
  EXPECT_EQ(w.tasks[0].result_bytes, 8U);
  EXPECT_EQ(w.tasks[w.tasks[0].first_child].ns, 30);
  EXPECT_EQ(w.tasks[w.tasks[0].first_child].place, k_where_parent_runs);
  EXPECT_FALSE(w.tasks[w.tasks[0].first_child].flexible);
  EXPECT_EQ(w.tasks[w.tasks[0].first_child + 1].place, 0);
  EXPECT_EQ(w.total_ns(), 151);
  EXPECT_EQ(simulate(w, {.places = 2}).busy_ns, 151);
}

TEST(tables, that_are_damaged_are_named_by_line) {
  const std::string first = "tactus-tasks 1\n";
  const auto error = [](const std::string& text) { return message_of([&] { table_of(text); }); };
  EXPECT_EQ(error(""), "run.tpp:1: the first line is not 'tactus-tasks 1' or 'tactus-profile 1'");
  EXPECT_EQ(error(first), "run.tpp:1: there is no task in it");
  EXPECT_EQ(error(first + "1 0 0 5 0 0 fluid f\n"), "run.tpp:2: 'fluid' is neither flexible nor sensitive");
  EXPECT_EQ(error(first + "0 0 0 5 0 0 flexible f\n").substr(0, 40), "run.tpp:2: the task's number = '0' is no");
  EXPECT_EQ(error(first + "1 0 0 -5 0 0 flexible f\n").substr(0, 40), "run.tpp:2: its nanoseconds = '-5' is not");
  EXPECT_EQ(error(first + "1 0 0 5\n").substr(0, 30), "run.tpp:2: its bytes = '' is n");
  EXPECT_EQ(error(first + "1 0 0 5 0 0 flexible f\n1 0 0 5 0 0 flexible f\n"), "run.tpp:3: task 1 is there twice");
  EXPECT_EQ(error(first + "1 2 0 5 0 0 flexible f\n"), "run.tpp:2: its parent 2 is not there");
  EXPECT_EQ(error(first + "1 2 0 5 0 0 flexible f\n2 1 0 5 0 0 flexible f\n"),
            "run.tpp: 2 tasks are each other's parents");
}

TEST(tables, of_a_profile_have_its_end) {
  const auto error = [](const std::string& text) { return message_of([&] { table_of(text); }); };
  const std::string begun =
      "tactus-profile 1\nrun 2 1\nsite 1 flexible 2 20 20 0 0 0 0 0 0 f\n1 0 0 10 0 0 flexible 1\n2 0 0 10 0 0 "
      "flexible 1\n";
  EXPECT_EQ(error(begun + "end 2 2\n"), "no error");
  EXPECT_EQ(error(begun),
            "run.tpp:5: the file ends too early; the run that it is of was stopped, or the disk was full");
  EXPECT_EQ(error(begun + "end 3 3\n"), "run.tpp:6: there are 2 tasks, and it says 3");
  EXPECT_EQ(error(begun + "end 2\n").substr(0, 43), "run.tpp:6: how many are listed = '' is not ");
  EXPECT_EQ(error(begun + "end 2 2\n\n"), "run.tpp:7: something follows behind the end");
}

// Some bytes, and then a disk that fails.
class failing_disk : public std::streambuf {
public:
  explicit failing_disk(std::string text) : text_(std::move(text)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

protected:
  int_type underflow() override { throw std::ios_base::failure("the disk"); }

private:
  std::string text_;
};

TEST(files, that_are_not_read_to_their_end_are_refused) {
  const auto error = [](const std::string& text, const auto& read) {
    failing_disk disk(text);
    std::istream in(&disk);
    return message_of([&] { read(in); });
  };
  const auto costs_of = [](std::istream& in) { simulator::costs_in(in, "c"); };
  const auto table_from = [](std::istream& in) { simulator::table(in, "run.tpp"); };
  EXPECT_EQ(error("", costs_of), "c: it cannot be read, or not to its end");
  EXPECT_EQ(error("send_ns 40\n", costs_of), "c: it cannot be read, or not to its end");
  EXPECT_EQ(error("", table_from), "run.tpp: it cannot be read, or not to its end");
  EXPECT_EQ(error("tactus-tasks 1\n1 0 0 5 0 0 flexible f\n", table_from),
            "run.tpp: it cannot be read, or not to its end");
}

TEST(files, that_are_folders_are_refused) {
  std::ifstream in("/");
  EXPECT_EQ(message_of([&] { simulator::costs_in(in, "c"); }), "c: it cannot be read, or not to its end");
  EXPECT_EQ(message_of([] { simulator::workload_named("/", 1); }), "/: it cannot be read, or not to its end");
}

TEST(cost_files, replace_what_they_name) {
  std::istringstream in("# measured\nsend_ns 40\nbyte_ns 0.05\n\npoll_ns 250000\n");
  const costs seen = simulator::costs_in(in, "c");
  EXPECT_EQ(seen.send, 40);
  EXPECT_DOUBLE_EQ(seen.per_byte, 0.05);
  EXPECT_EQ(seen.poll, 250'000);
  EXPECT_EQ(seen.receive, costs{}.receive);
  EXPECT_EQ(seen.latency, std::nullopt);
  EXPECT_EQ(seen.pack, 0);
}

TEST(cost_files, may_say_what_a_run_is_told_otherwise) {
  std::istringstream in("latency_ns 812.6\npack_ns 45\n");
  const costs seen = simulator::costs_in(in, "c");
  EXPECT_EQ(seen.latency, 813);
  EXPECT_EQ(seen.pack, 45);
}

TEST(cost_files, that_are_damaged_are_named_by_line) {
  const auto error = [](const std::string& text) {
    return message_of([&] {
      std::istringstream in(text);
      simulator::costs_in(in, "c");
    });
  };
  EXPECT_EQ(error("send 4\n").substr(0, 40), "c:1: there is no cost 'send'; known: lat");
  EXPECT_EQ(error("\nsend_ns -4\n"), "c:2: send_ns = '-4' is not allowed; allowed: a number from 0 to 1e12");
  EXPECT_EQ(error("send_ns\n"), "c:1: send_ns = '' is not allowed; allowed: a number from 0 to 1e12");
  EXPECT_EQ(error("send_ns 4 5\n"), "c:1: send_ns = '4 5' is not allowed; allowed: a number from 0 to 1e12");
}

}  // namespace
