// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/options.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tactus/base/error.hpp>

namespace {

using tactus::binding;
using tactus::config;
using tactus::copying;
using tactus::message_progress;
using tactus::placement_policy;
using tactus::spawn_policy;
using tactus::detail::machine_limits;
using tactus::detail::resolve_options;
using tactus::detail::resolved_options;

constexpr std::size_t k_kib = 1024;
constexpr std::size_t k_mib = 1024 * k_kib;
constexpr std::size_t k_gib = 1024 * k_mib;

constexpr machine_limits k_machine{.cores = 6, .memory_bytes = 4 * k_gib, .page_bytes = 4096};

using texts = std::vector<std::string>;

// Resolves against an environment and arguments that live as long as this.
class request {
public:
  request(texts variables, texts arguments, config given = {}, machine_limits machine = k_machine)
      : variables_(std::move(variables)), arguments_(std::move(arguments)) {
    for (const auto& one : variables_) environment_.push_back(one.c_str());
    environment_.push_back(nullptr);
    for (auto& one : arguments_) argv_.push_back(one.data());
    argv_.push_back(nullptr);
    const auto before = argv_;
    resolved_ = resolve_options(given, static_cast<int>(arguments_.size()), argv_.data(), environment_.data(), machine);
    EXPECT_EQ(argv_, before) << "the caller's array was changed";
  }

  [[nodiscard]] const config& values() const { return resolved_.values; }

  [[nodiscard]] texts left() const {
    EXPECT_EQ(resolved_.arguments.back(), nullptr);
    return {resolved_.arguments.begin(), resolved_.arguments.end() - 1};
  }

  [[nodiscard]] const resolved_options& all() const { return resolved_; }
  [[nodiscard]] const std::vector<char*>& argv() const { return argv_; }

private:
  texts variables_;
  texts arguments_;
  std::vector<const char*> environment_;
  std::vector<char*> argv_;
  resolved_options resolved_;
};

std::string refusal(const texts& variables, const texts& arguments, const config& given = {}) {
  try {
    const request one(variables, arguments, given);
    return "accepted";
  } catch (const tactus::config_error& refused) {
    return refused.what();
  }
}

void expect_parts(const std::string& text, const texts& parts) {
  for (const auto& part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' not in: " << text;
}

// One value of one option, written as a variable and as a flag.
struct spelling {
  std::string variable;
  std::string flag;
};

spelling spelled(const std::string& name) {
  std::string flag = "--tactus-";
  for (const char letter : name) flag += letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
  return {"TACTUS_" + name, flag};
}

std::string assign(std::string name, const std::string& value) { return name.append("=").append(value); }

// How an error names a source and the value found there.
std::string blamed(std::string name, const std::string& value) { return name.append(" = '").append(value).append("'"); }

const texts k_names = {"THREADS",
                       "PLACES",
                       "POLICY",
                       "STACK_BYTES",
                       "BIND",
                       "STATS",
                       "TRACE",
                       "WATCHDOG_SECONDS",
                       "SEED",
                       "MEMORY_BYTES",
                       "PROGRESS",
                       "LOCAL_COPY",
                       "MESSAGE_BYTES",
                       "PLACEMENT",
                       "PLACEMENT_FAILED_STEALS",
                       "PLACEMENT_RANDOM_STEALS",
                       "PLACEMENT_LIFELINE_BASE",
                       "PLACEMENT_PROBES",
                       "PLACEMENT_THRESHOLD",
                       "PLACEMENT_LOOK_AHEAD",
                       "PLACEMENT_INTERLEAVE",
                       "PLACEMENT_GUARD",
                       "LABELS",
                       "PROFILE",
                       "PEER_TIMEOUT"};

// ---- defaults and fields ----

TEST(options, have_final_defaults) {
  const request one({}, {"program"});
  EXPECT_EQ(one.values().threads, 6);
  EXPECT_EQ(one.values().places, 1);
  EXPECT_EQ(one.values().policy, spawn_policy::adaptive);
  EXPECT_EQ(one.values().stack_bytes, 256 * k_kib);
  EXPECT_EQ(one.values().bind, binding::none);
  EXPECT_FALSE(one.values().stats);
  EXPECT_EQ(one.values().seed, 0U);
  EXPECT_EQ(one.values().memory_bytes, 3 * k_gib);
  EXPECT_EQ(one.values().progress, message_progress::hybrid);
  EXPECT_EQ(one.values().local_copy, copying::automatic);
  EXPECT_EQ(one.values().message_bytes, k_mib);
  EXPECT_EQ(one.values().placement, placement_policy::none);
  EXPECT_EQ(one.values().tuning.failed_steals, 0);
  EXPECT_EQ(one.left(), texts{"program"});
  EXPECT_EQ(one.all().argc(), 1);
}

TEST(options, keep_the_fields_that_nobody_overrides) {
  const config given{.threads = 3,
                     .places = 1,
                     .policy = spawn_policy::help_first,
                     .stack_bytes = 64 * k_kib,
                     .bind = binding::core,
                     .stats = true,
                     .seed = 9,
                     .env = true,
                     .memory_bytes = 5 * k_mib};
  const request one({"HOME=/root", "TACTUS", "tactus_threads=9", "XTACTUS_THREADS=9"}, {}, given);
  EXPECT_EQ(one.values().threads, 3);
  EXPECT_EQ(one.values().policy, spawn_policy::help_first);
  EXPECT_EQ(one.values().stack_bytes, 64 * k_kib);
  EXPECT_EQ(one.values().bind, binding::core);
  EXPECT_TRUE(one.values().stats);
  EXPECT_EQ(one.values().seed, 9U);
  EXPECT_TRUE(one.values().env);
  EXPECT_EQ(one.values().memory_bytes, 5 * k_mib);
}

TEST(options, refuse_bad_fields_by_name) {
  const std::vector<std::pair<config, texts>> cases = {
      {{.threads = -1}, {"config.threads", "'-1'", "0 to 1024"}},
      {{.threads = 1025}, {"config.threads", "'1025'", "0 to 1024"}},
      {{.threads = std::numeric_limits<int>::min()}, {"config.threads", "'-2147483648'"}},
      {{.places = 0}, {"config.places", "'0'", "1 to 1024"}},
      {{.places = 1025}, {"config.places", "'1025'", "1 to 1024"}},
      {{.progress = std::bit_cast<message_progress>(std::uint8_t{7})},
       {"config.progress", "'7'", "hybrid, worker or thread"}},
      {{.local_copy = std::bit_cast<copying>(std::uint8_t{7})},
       {"config.local_copy", "'7'", "automatic, serialize or construct"}},
      {{.placement = std::bit_cast<placement_policy>(std::uint8_t{99})}, {"config.placement", "'99'"}},
      {{.tuning = {.failed_steals = -1}}, {"config.tuning.failed_steals", "'-1'", "0 to 1000000"}},
      {{.tuning = {.lifeline_base = 1}}, {"config.tuning.lifeline_base", "'1'", "2 to 1024"}},
      {{.tuning = {.threshold = -1}}, {"config.tuning.threshold", "'-1.000000'", "0 to 1000000"}},
      {{.labels = std::string(4096, 'x')}, {"config.labels", "'xxx", "a file of labels, of less than 4096"}},
      {{.profile = std::string(4096, 'x')}, {"config.profile", "'xxx", "a file to write, of less than 4096"}},
      {{.peer_timeout = 0.05}, {"config.peer_timeout", "'0.050000'", "0.1 to 1000000"}},
      {{.message_bytes = 255}, {"config.message_bytes", "'255'", "256 bytes to 1 GiB"}},
      {{.policy = std::bit_cast<spawn_policy>(std::uint8_t{77})},
       {"config.policy", "'77'", "adaptive, work_first, help_first or work_sharing"}},
      {{.stack_bytes = 0}, {"config.stack_bytes", "'0'", "16 KiB to 1 GiB"}},
      {{.stack_bytes = 16 * k_kib - 1}, {"config.stack_bytes", "'16383'"}},
      {{.stack_bytes = k_gib + 1}, {"config.stack_bytes", "'1073741825'"}},
      {{.stack_bytes = std::numeric_limits<std::size_t>::max()}, {"config.stack_bytes"}},
      {{.bind = std::bit_cast<binding>(std::uint8_t{9})}, {"config.bind", "'9'", "none, core or numa"}},
      {{.watchdog_seconds = -1}, {"config.watchdog_seconds", "'-1.000000'", "0.01 to 1000000"}},
      {{.watchdog_seconds = 0.001}, {"config.watchdog_seconds", "'0.001000'"}},
      {{.watchdog_seconds = std::numeric_limits<double>::quiet_NaN()}, {"config.watchdog_seconds"}},
      {{.memory_bytes = k_mib - 1}, {"config.memory_bytes", "'1048575'", "1 MiB"}},
  };
  for (const auto& [given, parts] : cases) {
    expect_parts(refusal({}, {}, given), parts);
    config without_env = given;
    without_env.env = false;
    expect_parts(refusal({}, {}, without_env), parts);
  }
}

TEST(options, refuse_a_bad_field_even_where_a_flag_would_override_it) {
  expect_parts(refusal({}, {"p", "--tactus-threads=2"}, {.threads = -1}), {"config.threads"});
}

// ---- values ----

struct accepted_case {
  const char* name;
  const char* text;
  bool (*holds)(const config&);
};

const accepted_case k_accepted[] = {
    {"THREADS", "1", [](const config& c) { return c.threads == 1; }},
    {"THREADS", "0", [](const config& c) { return c.threads == 6; }},
    {"THREADS", "1024", [](const config& c) { return c.threads == 1024; }},
    {"THREADS", "007", [](const config& c) { return c.threads == 7; }},
    {"PLACES", "1", [](const config& c) { return c.places == 1; }},
    {"PLACES", "1024", [](const config& c) { return c.places == 1024; }},
    {"PROGRESS", "worker", [](const config& c) { return c.progress == message_progress::worker; }},
    {"PROGRESS", "thread", [](const config& c) { return c.progress == message_progress::thread; }},
    {"LOCAL_COPY", "serialize", [](const config& c) { return c.local_copy == copying::serialize; }},
    {"MESSAGE_BYTES", "0", [](const config& c) { return c.message_bytes == k_mib; }},
    {"MESSAGE_BYTES", "256", [](const config& c) { return c.message_bytes == 256; }},
    {"PLACEMENT", "none", [](const config& c) { return c.placement == placement_policy::none; }},
    {"PLACEMENT_FAILED_STEALS", "8", [](const config& c) { return c.tuning.failed_steals == 8; }},
    {"PLACEMENT_RANDOM_STEALS", "0", [](const config& c) { return c.tuning.random_steals == 0; }},
    {"PLACEMENT_LIFELINE_BASE", "2", [](const config& c) { return c.tuning.lifeline_base == 2; }},
    {"PLACEMENT_PROBES", "5", [](const config& c) { return c.tuning.probes == 5; }},
    {"PLACEMENT_THRESHOLD", "1.5", [](const config& c) { return c.tuning.threshold == 1.5; }},
    {"PLACEMENT_LOOK_AHEAD", "0", [](const config& c) { return !c.tuning.look_ahead; }},
    {"PLACEMENT_INTERLEAVE", "false", [](const config& c) { return !c.tuning.interleave; }},
    {"PLACEMENT_GUARD", "1", [](const config& c) { return c.tuning.guard; }},
    {"LABELS", "none", [](const config& c) { return c.labels == "none"; }},
    {"LABELS", "labels.txt", [](const config& c) { return c.labels == "labels.txt"; }},
    {"PROFILE", "run.tpp", [](const config& c) { return c.profile == "run.tpp"; }},
    {"PEER_TIMEOUT", "2.5", [](const config& c) { return c.peer_timeout == 2.5; }},
    {"POLICY", "adaptive", [](const config& c) { return c.policy == spawn_policy::adaptive; }},
    {"POLICY", "work_first", [](const config& c) { return c.policy == spawn_policy::work_first; }},
    {"POLICY", "help_first", [](const config& c) { return c.policy == spawn_policy::help_first; }},
    {"POLICY", "work_sharing", [](const config& c) { return c.policy == spawn_policy::work_sharing; }},
    {"STACK_BYTES", "16384", [](const config& c) { return c.stack_bytes == 16 * k_kib; }},
    {"STACK_BYTES", "16385", [](const config& c) { return c.stack_bytes == 20 * k_kib; }},
    {"STACK_BYTES", "16K", [](const config& c) { return c.stack_bytes == 16 * k_kib; }},
    {"STACK_BYTES", "16k", [](const config& c) { return c.stack_bytes == 16 * k_kib; }},
    {"STACK_BYTES", "16KiB", [](const config& c) { return c.stack_bytes == 16 * k_kib; }},
    {"STACK_BYTES", "16kib", [](const config& c) { return c.stack_bytes == 16 * k_kib; }},
    {"STACK_BYTES", "2M", [](const config& c) { return c.stack_bytes == 2 * k_mib; }},
    {"STACK_BYTES", "1G", [](const config& c) { return c.stack_bytes == k_gib; }},
    {"STACK_BYTES", "1GiB", [](const config& c) { return c.stack_bytes == k_gib; }},
    {"BIND", "none", [](const config& c) { return c.bind == binding::none; }},
    {"BIND", "core", [](const config& c) { return c.bind == binding::core; }},
    {"BIND", "numa", [](const config& c) { return c.bind == binding::numa; }},
    {"STATS", "0", [](const config& c) { return !c.stats; }},
    {"STATS", "1", [](const config& c) { return c.stats; }},
    {"STATS", "true", [](const config& c) { return c.stats; }},
    {"STATS", "false", [](const config& c) { return !c.stats; }},
    {"TRACE", "", [](const config& c) { return c.trace.empty(); }},
    {"TRACE", "a file.json", [](const config& c) { return c.trace == "a file.json"; }},
    {"WATCHDOG_SECONDS", "0", [](const config& c) { return c.watchdog_seconds == 0; }},
    {"WATCHDOG_SECONDS", "0.5", [](const config& c) { return c.watchdog_seconds == 0.5; }},
    {"WATCHDOG_SECONDS", "60", [](const config& c) { return c.watchdog_seconds == 60; }},
    {"WATCHDOG_SECONDS", "2.5e2", [](const config& c) { return c.watchdog_seconds == 250; }},
    {"SEED", "0", [](const config& c) { return c.seed == 0; }},
    {"SEED", "18446744073709551615", [](const config& c) { return c.seed == ~std::uint64_t{0}; }},
    {"MEMORY_BYTES", "0", [](const config& c) { return c.memory_bytes == 3 * k_gib; }},
    {"MEMORY_BYTES", "1M", [](const config& c) { return c.memory_bytes == k_mib; }},
    {"MEMORY_BYTES", "17179869183G", [](const config& c) { return c.memory_bytes == 17179869183U * k_gib; }},
};

TEST(options, take_every_allowed_value_from_variable_and_flag) {
  for (const auto& one : k_accepted) {
    const auto [variable, flag] = spelled(one.name);
    EXPECT_TRUE(one.holds(request({assign(variable, one.text)}, {"p"}).values())) << variable << '=' << one.text;
    EXPECT_TRUE(one.holds(request({}, {"p", assign(flag, one.text)}).values())) << flag << '=' << one.text;
  }
}

struct refused_case {
  const char* name;
  std::vector<std::string> texts;
  const char* allowed;
};

const refused_case k_refused[] = {
    {"THREADS",
     {"",    " ",   "-1", "+1",         "1025",
      "4x",  "x4",  "4 ", " 4",         "4.0",
      "0x4", "1e3", "4,", "2147483648", "99999999999999999999",
      "max", "4K",  "--", "=4",         "4=4"},
     "0 to 1024"},
    {"PLACES", {"", "0", "1025", "-1", "1x", "4294967297"}, "1 to 1024"},
    {"PROGRESS", {"", "0", "none", "Worker"}, "hybrid, worker or thread"},
    {"LOCAL_COPY", {"", "0", "bytes"}, "automatic, serialize or construct"},
    {"MESSAGE_BYTES", {"", "255", "2G", "-1", "1x"}, "256 bytes to 1 GiB"},
    {"POLICY",
     {"", "work-first", "WORK_FIRST", "work_first ", "help", "0", "work_dealing"},
     "adaptive, work_first, help_first or work_sharing"},
    {"STACK_BYTES",
     {"",
      "0",
      "16383",
      "15K",
      "2G",
      "1073741825",
      "-64K",
      "64KB",
      "64 K",
      "64Kib ",
      "K",
      "KiB",
      "1.5M",
      "64T",
      "64Ki",
      "64KK",
      "18446744073709551615",
      "18446744073709551616",
      "18014398509481984K",
      "99999999999G",
      "64K64K"},
     "16 KiB to 1 GiB"},
    {"BIND", {"", "node", "cores", "Core", "0", "1"}, "none, core or numa"},
    {"STATS", {"", "2", "yes", "no", "on", "off", "TRUE", "01", "true "}, "0, 1, true or false"},
    {"WATCHDOG_SECONDS",
     {"", "-1", "0.001", "1e7", "60s", "nan", "inf", "soon", "1e999", "+5", " 5", "5 ", "0x5", "1,5", "1.5.5", "2e",
      "."},
     "0.01 to 1000000"},
    {"PEER_TIMEOUT", {"", "-1", "0.05", "1e7", "10s", "nan"}, "0.1 to 1000000"},
    {"SEED", {"", "-1", "18446744073709551616", "7x", "0x7", "seven", "1K", "1.0"}, "0 to 18446744073709551615"},
    {"MEMORY_BYTES",
     {"", "1", "1048575", "1023K", "-1", "1E", "1B", "17179869184G", "99999999999999999999999G"},
     "at least 1 MiB"},
};

TEST(options, refuse_every_other_value_naming_source_value_and_what_is_allowed) {
  for (const auto& one : k_refused) {
    const auto [variable, flag] = spelled(one.name);
    for (const auto& text : one.texts) {
      if (!text.empty()) expect_parts(refusal({assign(variable, text)}, {"p"}), {blamed(variable, text), one.allowed});
      expect_parts(refusal({}, {"p", assign(flag, text)}), {blamed(flag, text), one.allowed});
    }
  }
}

TEST(options, clip_and_escape_a_strange_value_in_the_error) {
  for (const auto& name : k_names) {
    const auto [variable, flag] = spelled(name);
    for (const char letter : {'9', 'x', 'K', '\x1b', '\n', '\xff'}) {
      const std::string huge(1'000'000, letter);
      for (const auto& text : {refusal({assign(variable, huge)}, {"p"}), refusal({}, {"p", assign(flag, huge)})}) {
        EXPECT_LT(text.size(), 800U);
        EXPECT_EQ(text.find_first_of("\x1b\n"), std::string::npos) << text;
        expect_parts(text, {"(1000000 characters)"});
      }
    }
  }
  expect_parts(refusal({"TACTUS_POLICY=a\tb\x7f"}, {}), {"'a\\x09b\\x7f'"});
}

// ---- names ----

TEST(options, refuse_unknown_names_and_list_the_known_ones) {
  for (const std::string name : {"TACTUS_threads", "TACTUS_THREADS ", "TACTUS_THREADSX"}) {
    expect_parts(refusal({name + "=4"}, {}),
                 {"unknown variable '" + name + "'", "'4'", "known: TACTUS_THREADS TACTUS_PLACES"});
  }
  for (const std::string name :
       {"--tactus-", "--tactus-helping", "--tactus-stack_bytes", "--tactus-THREADS", "--tactus-no-stats"}) {
    for (const std::string end : {"", "=", "=4"}) {
      expect_parts(refusal({}, {"p", name + end}),
                   {"unknown flag '" + name + "'", "known: --tactus-threads --tactus-places"});
    }
  }
  const std::string huge(1'000'000, 'T');
  EXPECT_LT(refusal({}, {"p", "--tactus-" + huge}).size(), 1000U);
}

TEST(options, suggest_the_nearest_name) {
  const struct {
    const char* wrong;
    const char* meant;
  } cases[] = {
      {"TACTUS_THREDS", "TACTUS_THREADS"},
      {"TACTUS_THREAD", "TACTUS_THREADS"},
      {"TACTUS_HTREADS", "TACTUS_THREADS"},
      {"TACTUS_threads", "TACTUS_THREADS"},
      {"TACTUS_STACK", "TACTUS_STACK_BYTES"},
      {"TACTUS_STACK_BYTE", "TACTUS_STACK_BYTES"},
      {"TACTUS_STACKBYTES", "TACTUS_STACK_BYTES"},
      {"TACTUS_MEMORY", "TACTUS_MEMORY_BYTES"},
      {"TACTUS_SEEDS", "TACTUS_SEED"},
      {"TACTUS_POLCY", "TACTUS_POLICY"},
      {"TACTUS_STATUS", "TACTUS_STATS"},
      {"TACTUS_BINDING", "TACTUS_BIND"},
      {"TACTUS_PLACE", "TACTUS_PLACES"},
      {"TACTUS_PLACEMENT_FAILED_STEAL", "TACTUS_PLACEMENT_FAILED_STEALS"},
      {"TACTUS_STACK-BYTES", "TACTUS_STACK_BYTES"},
  };
  for (const auto& one : cases) {
    expect_parts(refusal({std::string(one.wrong) + "=1"}, {}), {std::string("did you mean ") + one.meant + '?'});
  }
  expect_parts(refusal({}, {"p", "--tactus-thraeds=1"}), {"did you mean --tactus-threads?"});
  expect_parts(refusal({}, {"p", "--tactus-stack_bytes=1"}), {"did you mean --tactus-stack-bytes?"});
  for (const std::string far : {"--tactus-", "--tactus-qqqqqqqq", "--tactus-something-else"}) {
    EXPECT_EQ(refusal({}, {"p", far + "=1"}).find("did you mean"), std::string::npos) << far;
  }
}

TEST(options, ignore_variables_that_are_not_nearly_one_of_ours) {
  const texts names = {"TACTUS_", "TACTUS_X", "TACTUS_BUILD", "TACTUS_BUILD_TYPE", "TACTUS_SOMETHING_ELSE"};
  for (const std::string& name : names) {
    const request one({assign(name, "4"), "TACTUS_THREADS=3"}, {"p"});
    EXPECT_EQ(one.all().ignored_variables, texts{name});
    EXPECT_EQ(one.values().threads, 3);
  }
  const request several({"TACTUS_A_A=1", "TACTUS_Q_Q=x"}, {"p"});
  EXPECT_EQ(several.all().ignored_variables, (texts{"TACTUS_A_A", "TACTUS_Q_Q"}));
}

TEST(options, show_ignored_variables_fit_for_a_terminal) {
  const request one({"TACTUS_\x1b[2J=1", "TACTUS_" + std::string(1'000'000, 'T') + "=1"}, {"p"});
  ASSERT_EQ(one.all().ignored_variables.size(), 2U);
  EXPECT_EQ(one.all().ignored_variables[0], "TACTUS_\\x1b[2J");
  EXPECT_LT(one.all().ignored_variables[1].size(), 200U);
}

TEST(options, leave_variables_of_module_systems_and_cmake_alone) {
  for (const std::string end : {"ROOT", "DIR", "HOME", "PREFIX", "VERSION", "INC", "LIB"}) {
    const request one({"TACTUS_" + end + "=/opt/tactus"}, {"p"});
    EXPECT_TRUE(one.all().ignored_variables.empty()) << end;
  }
}

TEST(options, take_an_empty_variable_for_an_unset_one) {
  for (const auto& name : k_names) {
    const request one({assign(spelled(name).variable, "")}, {"p"}, {.trace = "file", .env = true});
    EXPECT_EQ(one.values().threads, 6) << name;
    EXPECT_EQ(one.values().trace, "file") << name;
  }
  for (const std::string unknown : {"TACTUS_THREDS=", "TACTUS_SOMETHING_ELSE=", "TACTUS_NOVALUE"}) {
    EXPECT_TRUE(request({unknown}, {"p"}).all().ignored_variables.empty()) << unknown;
  }
  EXPECT_EQ(request({"TACTUS_THREADS=", "TACTUS_THREADS=3"}, {"p"}).values().threads, 6);  // as getenv
}

TEST(options, take_the_flag_that_asks_for_help_out) {
  const auto asks = [](texts arguments, const config& given) {
    const request one({}, arguments, given);
    return tactus::detail::asks_for_help(given, static_cast<int>(arguments.size()), one.argv().data());
  };
  EXPECT_TRUE(asks({"p", "x", "--tactus-help"}, {}));
  EXPECT_FALSE(asks({"p", "x", "--", "--tactus-help"}, {}));
  EXPECT_FALSE(asks({"--tactus-help", "x"}, {}));
  EXPECT_FALSE(asks({"p", "--tactus-help"}, {.env = false}));
  EXPECT_EQ(request({}, {"p", "--tactus-help", "x"}).left(), (texts{"p", "x"}));
}

TEST(options, list_every_flag_in_the_help) {
  const std::string text = tactus::detail::help_text();
  for (const auto& name : k_names) expect_parts(text, {spelled(name).flag + '='});
  expect_parts(text, {"--tactus-help", "TACTUS_THREADS", "adaptive, work_first, help_first or work_sharing"});
}

TEST(options, know_every_name_in_both_forms) {
  for (const auto& name : k_names) {
    const auto [variable, flag] = spelled(name);
    EXPECT_EQ(refusal({variable + "=?"}, {}).find("unknown"), std::string::npos) << variable;
    EXPECT_EQ(refusal({}, {"p", flag + "=?"}).find("unknown"), std::string::npos) << flag;
  }
}

// ---- precedence ----

TEST(options, go_flag_before_variable_before_field) {
  const config given{.threads = 2};
  EXPECT_EQ(request({}, {"p"}, given).values().threads, 2);
  EXPECT_EQ(request({"TACTUS_THREADS=3"}, {"p"}, given).values().threads, 3);
  EXPECT_EQ(request({}, {"p", "--tactus-threads=4"}, given).values().threads, 4);
  EXPECT_EQ(request({"TACTUS_THREADS=3"}, {"p", "--tactus-threads=4"}, given).values().threads, 4);
}

TEST(options, take_the_last_of_equal_flags_and_the_first_of_equal_variables) {
  EXPECT_EQ(request({}, {"p", "--tactus-threads=4", "--tactus-threads=5"}).values().threads, 5);
  EXPECT_EQ(request({"TACTUS_THREADS=4", "TACTUS_THREADS=5"}, {"p"}).values().threads, 4);
}

TEST(options, check_values_that_do_not_count) {
  expect_parts(refusal({"TACTUS_THREADS=x"}, {"p", "--tactus-threads=4"}), {"TACTUS_THREADS = 'x'"});
  expect_parts(refusal({}, {"p", "--tactus-threads=x", "--tactus-threads=4"}), {"--tactus-threads = 'x'"});
}

TEST(options, let_a_zero_override_a_number) {
  EXPECT_EQ(request({"TACTUS_THREADS=0"}, {"p"}, {.threads = 2}).values().threads, 6);
  EXPECT_FALSE(request({}, {"p", "--tactus-stats=0"}, {.stats = true}).values().stats);
}

// ---- arguments ----

TEST(options, take_flags_out_and_leave_the_rest_in_order) {
  const request one({}, {"p", "a", "--tactus-threads=2", "-b", "--tactus-stats", "--tactusx", "-tactus-threads=3",
                         "tactus-seed=1", "c"});
  EXPECT_EQ(one.left(), (texts{"p", "a", "-b", "--tactusx", "-tactus-threads=3", "tactus-seed=1", "c"}));
  EXPECT_EQ(one.all().argc(), 7);
  EXPECT_EQ(one.values().threads, 2);
  EXPECT_TRUE(one.values().stats);
}

TEST(options, hand_on_the_callers_own_strings) {
  const request one({}, {"p", "--tactus-threads=2", "file"});
  EXPECT_EQ(one.all().arguments[0], one.argv()[0]);
  EXPECT_EQ(one.all().arguments[1], one.argv()[2]);
}

TEST(options, leave_alone_what_follows_two_dashes) {
  const request one({}, {"p", "--tactus-threads=2", "--", "--tactus-threads=3", "--tactus-nonsense", "--"});
  EXPECT_EQ(one.left(), (texts{"p", "--", "--tactus-threads=3", "--tactus-nonsense", "--"}));
  EXPECT_EQ(one.values().threads, 2);
}

TEST(options, never_take_the_program_name_for_a_flag) {
  const request one({}, {"--tactus-threads=2", "x"});
  EXPECT_EQ(one.left(), (texts{"--tactus-threads=2", "x"}));
  EXPECT_EQ(one.values().threads, 6);
  EXPECT_EQ(request({}, {"--", "--tactus-threads=2"}).left(), (texts{"--", "--tactus-threads=2"}));
}

TEST(options, refuse_a_flag_without_its_value_and_show_how_it_is_written) {
  expect_parts(refusal({}, {"p", "--tactus-threads", "4"}),
               {"--tactus-threads has no value", "--tactus-threads=4", "0 to 1024"});
  for (const auto& name : k_names) {
    if (name == "STATS") continue;
    const auto flag = spelled(name).flag;
    expect_parts(refusal({}, {"p", flag}), {flag + " has no value", "write " + assign(flag, "")});
  }
}

TEST(options, take_no_arguments_at_all) {
  const machine_limits machine = k_machine;
  for (char* const* argv : {static_cast<char* const*>(nullptr)}) {
    const auto none = resolve_options({}, 0, argv, nullptr, machine);
    EXPECT_EQ(none.argc(), 0);
    EXPECT_EQ(none.arguments, std::vector<char*>{nullptr});
    EXPECT_EQ(none.values.threads, 6);
  }
  EXPECT_EQ(resolve_options({}, 3, nullptr, nullptr, machine).argc(), 0);
  EXPECT_EQ(resolve_options({}, -1, nullptr, nullptr, machine).argc(), 0);
  char name[] = "p";
  char* const short_argv[] = {name, nullptr};
  EXPECT_EQ(resolve_options({}, 5, short_argv, nullptr, machine).argc(), 1);
}

// ---- env = false ----

TEST(options, look_at_neither_variables_nor_flags_when_env_is_false) {
  const request one({"TACTUS_THREADS=5", "TACTUS_NONSENSE=1", "TACTUS_SEED=x"},
                    {"p", "--tactus-threads=4", "--tactus-nonsense", "--tactus-seed=x", "--", "y"},
                    {.threads = 2, .env = false});
  EXPECT_EQ(one.values().threads, 2);
  EXPECT_FALSE(one.values().env);
  EXPECT_EQ(one.left(), (texts{"p", "--tactus-threads=4", "--tactus-nonsense", "--tactus-seed=x", "--", "y"}));
}

// ---- the seed and the number of workers ----

TEST(options, give_a_seeded_run_four_virtual_workers_on_any_machine) {
  for (const int cores : {1, 2, 64}) {
    const machine_limits machine{.cores = cores, .memory_bytes = k_gib, .page_bytes = 4096};
    EXPECT_EQ(request({}, {"p"}, {.seed = 1}, machine).values().threads, 4);
    EXPECT_EQ(request({"TACTUS_SEED=1"}, {"p"}, {}, machine).values().threads, 4);
    EXPECT_EQ(request({"TACTUS_SEED=1"}, {"p", "--tactus-threads=3"}, {}, machine).values().threads, 3);
    EXPECT_EQ(request({}, {"p"}, {}, machine).values().threads, cores);
  }
}

TEST(options, share_processors_and_windows_between_places) {
  const machine_limits machine{.cores = 6, .memory_bytes = k_gib, .resident_bytes = 0, .page_bytes = 4096};
  EXPECT_EQ(request({"TACTUS_PLACES=2"}, {"p"}, {}, machine).values().threads, 3);
  EXPECT_EQ(request({"TACTUS_PLACES=8"}, {"p"}, {}, machine).values().threads, 1);
  EXPECT_EQ(request({"TACTUS_PLACES=8"}, {"p"}, {.threads = 5}, machine).values().threads, 5);
  EXPECT_EQ(request({"TACTUS_PLACES=2"}, {"p"}, {.seed = 1}, machine).values().threads, 2);
  EXPECT_EQ(request({"TACTUS_PLACES=1024"}, {"p"}, {}, machine).values().message_bytes, 256 * k_kib);
  EXPECT_EQ(request({"TACTUS_PLACES=1024", "TACTUS_MESSAGE_BYTES=1K"}, {"p"}, {}, machine).values().message_bytes,
            k_kib);
  expect_parts(refusal({"TACTUS_PLACES=1024"}, {"p", "--tactus-threads=33"}),
               {"--tactus-threads = '33'", "at most 32 workers", "TACTUS_PLACES = 1024"});
}

TEST(options, let_each_process_of_a_launch_have_its_own_workers) {
  const machine_limits machine{.cores = 64, .memory_bytes = k_gib, .page_bytes = 4096};
  const char* const nothing[] = {nullptr};
  const auto in_job_of = [&](int ranks, const config& given = {}) {
    return resolve_options(given, 0, nullptr, nothing, machine, {.rank = 1, .ranks = ranks}).values;
  };
  EXPECT_EQ(in_job_of(1024).threads, 64);
  EXPECT_EQ(in_job_of(1024, {.threads = 1024}).threads, 1024);
  EXPECT_EQ(in_job_of(32'768).threads, 64);
  try {
    static_cast<void>(in_job_of(32'769));
    ADD_FAILURE() << "more than a message can name";
  } catch (const tactus::config_error& refused) {
    expect_parts(refused.what(), {"started 32769 processes", "at most 32768"});
  }
}

TEST(options, bound_virtual_workers_and_name_both_sources) {
  EXPECT_EQ(request({"TACTUS_SEED=1", "TACTUS_THREADS=64"}, {}).values().threads, 64);
  expect_parts(refusal({"TACTUS_SEED=12"}, {"p", "--tactus-threads=65"}),
               {"--tactus-threads = '65'", "0 to 64 virtual workers", "TACTUS_SEED = 12"});
  expect_parts(refusal({}, {"p", "--tactus-seed=12"}, {.threads = 100}),
               {"config.threads = '100'", "--tactus-seed = 12"});
  EXPECT_EQ(request({"TACTUS_SEED=1"}, {"p", "--tactus-seed=0"}, {.threads = 100}).values().threads, 100);
}

// ---- what the machine decides ----

TEST(options, bound_the_default_number_of_workers) {
  const machine_limits huge{.cores = 5000, .memory_bytes = k_gib, .page_bytes = 4096};
  EXPECT_EQ(request({}, {}, {}, huge).values().threads, 1024);
  const machine_limits none{.cores = 0, .memory_bytes = k_gib, .page_bytes = 4096};
  EXPECT_EQ(request({}, {}, {}, none).values().threads, 1);
}

TEST(options, take_three_quarters_of_the_available_memory_but_enough_to_start) {
  const struct {
    std::uint64_t available;
    std::size_t limit;
  } cases[] = {{0, 64 * k_mib},
               {64 * k_mib, 64 * k_mib},
               {100 * k_mib, 75 * k_mib},
               {~std::uint64_t{0}, (~std::size_t{0} / 4) * 3 + 3}};
  for (const auto& one : cases) {
    const machine_limits machine{.cores = 1, .memory_bytes = one.available, .page_bytes = 4096};
    EXPECT_EQ(request({}, {}, {}, machine).values().memory_bytes, one.limit) << one.available;
  }
}

// Else a program that holds most of the machine's memory when it makes its runtime could not start one task.
TEST(options, do_not_count_what_the_process_holds_against_it) {
  const machine_limits machine{.cores = 1, .memory_bytes = 4 * k_gib, .resident_bytes = 12 * k_gib, .page_bytes = 4096};
  EXPECT_EQ(request({}, {}, {}, machine).values().memory_bytes, 15 * k_gib);
  EXPECT_EQ(request({}, {}, {.memory_bytes = k_gib}, machine).values().memory_bytes, k_gib);
  const machine_limits full{.cores = 1, .memory_bytes = 0, .resident_bytes = ~std::uint64_t{0}, .page_bytes = 4096};
  EXPECT_EQ(request({}, {}, {}, full).values().memory_bytes, ~std::size_t{0});
}

TEST(options, round_stacks_up_to_the_page_of_the_machine) {
  const machine_limits machine{.cores = 1, .memory_bytes = k_gib, .page_bytes = 64 * k_kib};
  EXPECT_EQ(request({}, {}, {.stack_bytes = 16 * k_kib}, machine).values().stack_bytes, 64 * k_kib);
  EXPECT_EQ(request({}, {}, {.stack_bytes = 64 * k_kib + 1}, machine).values().stack_bytes, 128 * k_kib);
  EXPECT_EQ(request({}, {}, {.stack_bytes = k_gib}, machine).values().stack_bytes, k_gib);
}

TEST(options, resolve_against_this_process) {
  const auto here = resolve_options({.env = false});
  EXPECT_GE(here.values.threads, 1);
  EXPECT_GE(here.values.memory_bytes, 64 * k_mib);
  EXPECT_EQ(here.argc(), 0);
}

// ---- names of policies ----

TEST(policy_name, and_policy_named_are_inverse) {
  for (const auto policy : {spawn_policy::adaptive, spawn_policy::work_first, spawn_policy::help_first}) {
    EXPECT_EQ(tactus::detail::policy_named(tactus::detail::policy_name(policy)), policy);
  }
  EXPECT_EQ(tactus::detail::policy_named("nonsense"), std::nullopt);
  EXPECT_EQ(tactus::detail::policy_named(""), std::nullopt);
}

}  // namespace
