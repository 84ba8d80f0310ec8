// SPDX-License-Identifier: Apache-2.0
// Millions of random programs against the oracle. Seeds are given out in chunks; each chunk has one setting of the list, so
// any range can be run again, or split, or resumed where the last one ended.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "campaign.hpp"

#ifdef ORACLE_CAN_SHUFFLE
#include "place/engine.hpp"
#include "support/shuffling_engine.hpp"
#endif
#ifdef ORACLE_OF_RANKS
#include "support/shuffled_mpi.hpp"
#endif

namespace ts = tactus;

namespace {

constexpr std::uint64_t k_longest_chunk = 32 * oracle::k_batch;
constexpr std::uint64_t k_programs_per_stuck = 256;
constexpr int k_usual_workers_of_places = 3;  // and no more, where there are several places

constexpr const char* k_help = R"(soak: random programs on Tactus against a sequential oracle

  --programs N         how many programs (default 1000000)
  --first-seed S       the seed of the first (default 0)
  --seconds T          stop after about T seconds (default: no limit)
  --threads LIST       numbers of workers (default 1,2,3,8,16)
  --policy LIST        adaptive, work_first, help_first, work_sharing (default: all)
  --places LIST        numbers of places, each of so many workers (default 1,2,3,5,8; where there are several no more than 3 workers,
                       unless --threads says so; half of the programs have one place)
  --placement LIST     policies of placement, where there are several places (default: all eight)
  --progress HOW       who takes messages while workers compute: hybrid, worker, thread (default: hybrid)
  --shuffle            messages come late and in any order (not with a shared library, nor with --seeded)
  --unlike             places of odd numbers play machines of the other byte order; all goes as bytes (not with a shared library)
  --as-bytes           what goes to another place goes as bytes (default: of half of the settings)
  --as-objects         the same as objects
  --message-bytes LIST room for what is on its way to a place; 0: much (default 0,256)
  --tasks LOW,HIGH     the size of a program in tasks (default 10,200); small ones make small failures
  --seeded             the seeded scheduler: virtual workers on one thread
  --stuck              programs made to deadlock, and no others
  --repeat R           run every program R times
  --patience T         take a batch of 64 that takes longer than T seconds for a hang (default 60)
  --plant FAULT        have one task of a thousand that go to other places run twice (doubled) or not at all (lost);
                       programs ask no foreign threads then
  --count-file FILE    keep the number of programs that ended in the first 8 bytes of FILE

soak_openmpi and soak_mpich take each place of a program as a rank, on one machine: start them by mpirun, with 2 to 8 ranks. With --shuffle
what MPI carries comes late, in pieces and in any order; what happened to messages of rank 0 is printed. There are
no --places, --seeded and --unlike, all goes as bytes with much room, the number of workers is 1 and 2 unless said otherwise, and the library's counters are not looked at.

Ends with 0 and "LOST 0 DOUBLED 0 in ..." when every program did what the oracle says; otherwise with 1, the seed, a command
that runs it again, what differed, and the program. All settings get their share, as far as 64 programs for each go. For each 256 programs
of a setting, or fewer where it has fewer, one more is made to deadlock.
)";

std::vector<ts::placement_policy> all_placements() {
  std::vector<ts::placement_policy> all;
  for (int p = 0; p <= static_cast<int>(ts::placement_policy::proportional); ++p)
    all.push_back(static_cast<ts::placement_policy>(p));
  return all;
}

struct options {
  std::uint64_t programs = 1000000;
  std::uint64_t first = 0;
  std::uint64_t seconds = 0;
  std::uint64_t patience = 60;
  std::uint64_t repeat = 1;
  unsigned min_tasks = 10;
  unsigned max_tasks = 200;
  std::vector<int> threads{1, 2, 3, 8, 16};
  bool threads_asked = false;
  std::vector<int> places{1, 2, 3, 5, 8};
  std::vector<ts::placement_policy> placements = all_placements();
  std::string progress{};  // empty: the default
  bool shuffle = false;
  bool unlike = false;
  std::vector<bool> as_bytes{false, true};
  std::vector<std::size_t> message_bytes{0, 256};
  std::vector<ts::spawn_policy> policies{ts::spawn_policy::adaptive, ts::spawn_policy::work_first,
                                         ts::spawn_policy::help_first, ts::spawn_policy::work_sharing};
  bool seeded = false;
  bool stuck = false;
  oracle::fault planted = oracle::fault::none;
  std::string count_file;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("not a number: " + std::string(text));
  return n;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

ts::spawn_policy policy_of(const std::string& name) {
  for (const ts::spawn_policy p : {ts::spawn_policy::adaptive, ts::spawn_policy::work_first,
                                   ts::spawn_policy::help_first, ts::spawn_policy::work_sharing}) {
    if (name == oracle::name_of(p)) return p;
  }
  throw std::invalid_argument("no policy named " + name);
}

ts::message_progress progress_of(const std::string& name) {
  if (name.empty() || name == "hybrid") return ts::message_progress::hybrid;
  if (name == "worker") return ts::message_progress::worker;
  if (name == "thread") return ts::message_progress::thread;
  throw std::invalid_argument("--progress: hybrid, worker or thread, not " + name);
}

ts::placement_policy placement_of(const std::string& name) {
  for (const ts::placement_policy p : all_placements()) {
    if (name == oracle::name_of(p)) return p;
  }
  throw std::invalid_argument("no policy of placement named " + name);
}

oracle::fault fault_of(const std::string& name) {
  if (name == "lost") return oracle::fault::lost;
  if (name == "doubled") return oracle::fault::doubled;
  throw std::invalid_argument("--plant: lost or doubled");
}

options parse(const std::vector<std::string>& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help") {
      std::fputs(k_help, stdout);
      std::exit(0);
    }
    if (word == "--seeded") {
      o.seeded = true;
      continue;
    }
    if (word == "--shuffle") {
#if !defined(ORACLE_CAN_SHUFFLE) && !defined(ORACLE_OF_RANKS)
      throw std::invalid_argument("--shuffle: not with a shared library");
#endif
      o.shuffle = true;
      continue;
    }
    if (word == "--unlike") {
#ifndef ORACLE_CAN_SHUFFLE
      throw std::invalid_argument("--unlike: not with a shared library");
#endif
      o.unlike = true;
      o.as_bytes = {true};
      continue;
    }
    if (word == "--as-bytes" || word == "--as-objects") {
      o.as_bytes = {word == "--as-bytes"};
      continue;
    }
    if (word == "--stuck") {
      o.stuck = true;
      continue;
    }
    if (i + 1 == words.size()) throw std::invalid_argument(word + ": unknown, or a value is missing; try --help");
    const std::string& value = words[++i];
    if (word == "--programs")
      o.programs = number(value);
    else if (word == "--first-seed")
      o.first = number(value);
    else if (word == "--seconds")
      o.seconds = number(value);
    else if (word == "--patience")
      o.patience = number(value);
    else if (word == "--repeat")
      o.repeat = number(value);
    else if (word == "--plant")
      o.planted = fault_of(value);
    else if (word == "--message-bytes") {
      o.message_bytes.clear();
      for (const std::string& n : split(value)) o.message_bytes.push_back(number(n));
    } else if (word == "--places") {
      o.places.clear();
      for (const std::string& n : split(value)) o.places.push_back(static_cast<int>(number(n)));
      for (const int n : o.places)
        if (n < 1 || n > static_cast<int>(oracle::k_max_places)) throw std::invalid_argument("--places: 1 to 8");
    } else if (word == "--tasks") {
      const std::vector<std::string> range = split(value);
      if (range.size() != 2) throw std::invalid_argument("--tasks takes LOW,HIGH");
      o.min_tasks = static_cast<unsigned>(number(range[0]));
      o.max_tasks = static_cast<unsigned>(number(range[1]));
      if (o.min_tasks < 1 || o.max_tasks < o.min_tasks || o.max_tasks > 500)
        throw std::invalid_argument("--tasks: 1 <= LOW <= HIGH <= 500");
    } else if (word == "--count-file")
      o.count_file = value;
    else if (word == "--threads") {
      o.threads_asked = true;
      o.threads.clear();
      for (const std::string& n : split(value)) o.threads.push_back(static_cast<int>(number(n)));
    } else if (word == "--policy") {
      o.policies.clear();
      for (const std::string& n : split(value)) o.policies.push_back(policy_of(n));
    } else if (word == "--progress") {
      static_cast<void>(progress_of(value));
      o.progress = value;
    } else if (word == "--placement") {
      o.placements.clear();
      for (const std::string& n : split(value)) o.placements.push_back(placement_of(n));
    } else {
      throw std::invalid_argument("unknown option " + word + "; try --help");
    }
  }
  return o;
}

#ifdef ORACLE_OF_RANKS
// Under a launcher places are ranks: as many as it has started, and fewer workers unless something else is asked for.
options of_ranks(options o) {
  const int all = oracle::ranks().all;
  if (all < 2 || all > static_cast<int>(oracle::k_max_places))
    throw std::invalid_argument("places are ranks here: start it by mpirun, with -n 2 to 8");
  if (o.seeded) throw std::invalid_argument("--seeded: the seeded scheduler orders places of one process");
  if (o.unlike) throw std::invalid_argument("--unlike: places of one process only");
  if (o.places != options{}.places) throw std::invalid_argument("--places: as many as mpirun starts");
  if (o.threads == options{}.threads) o.threads = {1, 2};
  o.places = {all};
  o.as_bytes = {false};
  o.message_bytes = {0};
  if (oracle::ranks().here != 0) o.count_file.clear();
  return o;
}
#endif

// A counter in a mapped file outlives any crash of this process.
std::atomic<std::uint64_t>* counter_in(const std::string& path) {
  static std::atomic<std::uint64_t> own{0};
  if (path.empty()) return &own;
  const int file = open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, sizeof(own)) != 0) throw std::runtime_error("cannot write " + path);
  void* const memory = mmap(nullptr, sizeof(own), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  return new (memory) std::atomic<std::uint64_t>(0);
}

class soak {
public:
  soak(const options& o, std::string command)
      : options_(o),
        command_(std::move(command)),
        guard_(std::chrono::seconds(o.patience)),
        ended_(counter_in(o.count_file)) {
    add_settings(o);
    spread();
  }

  int run() {
    const std::uint64_t end = options_.first + options_.programs;
    std::uint64_t at = options_.first;
    oracle::plant(options_.planted);
    while (at < end && sum_.failed == 0 && !late()) {
      const std::uint64_t number = at / chunk_;
      const std::uint64_t next = std::min(end, (number + 1) * chunk_);
      oracle::setting now = setting_of(number);
      {
        oracle::campaign one(now, guard_, ended_);
        one.run(at, next - at, sum_, static_cast<unsigned>(options_.repeat));
      }
      if (!options_.stuck && options_.planted == oracle::fault::none && sum_.failed == 0) {
        now.stuck = true;
        oracle::campaign one(now, guard_);
        one.run(number * oracle::k_batch, std::max<std::uint64_t>((next - at) / k_programs_per_stuck, 1), stuck_);
      }
      at = next;
      progress(at);
    }
    return conclude(at);
  }

private:
  void add_settings(const options& o) {
    // Who waits for a task that was lost on purpose is stuck, and no verdict says so while a foreign thread is yet to be asked for a
    // promise: by that task, or by a program of the batch that has not begun.
    const bool foreign = o.planted == oracle::fault::none;
    oracle::setting s;
    s.seeded = o.seeded;
    s.stuck = o.stuck;
    s.min_tasks = o.min_tasks;
    s.max_tasks = o.max_tasks;
    s.foreign = foreign;
    s.progress = progress_of(o.progress);
    s.around = std::string(o.shuffle ? " --shuffle" : "") + (o.unlike ? " --unlike" : "") +
               (o.progress.empty() ? "" : " --progress " + o.progress);
    for (const int threads : o.threads) {
      s.threads = threads;
      for (const int places : o.places) {
        s.places = places;
        for (const ts::spawn_policy policy : o.policies) {
          s.policy = policy;
          if (places == 1)
            alone_.push_back(s);
          else if (o.threads_asked || threads <= k_usual_workers_of_places)
            add_places(o, s);
        }
      }
    }
  }

  void add_places(const options& o, oracle::setting s) {
    for (const ts::placement_policy placement : o.placements) {
      s.placement = placement;
      for (const bool as_bytes : o.as_bytes) {
        s.as_bytes = as_bytes;
        for (const std::size_t room : o.message_bytes) {
          s.message_bytes = room;
          several_.push_back(s);
        }
      }
    }
  }

  // As many programs in a row with one setting as let all have some; and settings from all over the list one after the other, for there may
  // be too few programs, or too little time, for all.
  void spread() {
    const std::uint64_t n = alone_.size() + several_.size();
    const std::uint64_t share = options_.programs / n / oracle::k_batch * oracle::k_batch;
    chunk_ = std::clamp(share, oracle::k_batch, k_longest_chunk);
  }

  static const oracle::setting& pick(const std::vector<oracle::setting>& from, std::uint64_t number) {
    const std::uint64_t n = from.size();
    std::uint64_t stride =
        n - n * 382 / 1000;  // the golden section, so that any number of them in a row lies far apart
    while (std::gcd(stride, n) != 1) ++stride;
    return from[number * stride % n];
  }

  [[nodiscard]] const oracle::setting& setting_of(std::uint64_t chunk) const {
    if (several_.empty()) return pick(alone_, chunk);
    if (alone_.empty()) return pick(several_, chunk);
    return pick(chunk % 2 == 0 ? alone_ : several_, chunk / 2);
  }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] bool late() const {
    return stuck_.failed != 0 ||
           (options_.seconds != 0 && oracle::as_rank_0_says(seconds() >= static_cast<double>(options_.seconds)));
  }

  void progress(std::uint64_t next) {
    if (seconds() < next_line_ || oracle::ranks().here != 0) return;
    next_line_ = seconds() + 5;
    std::fprintf(stderr, "%.0f s: %llu programs, %llu tasks, %.0f programs/s; next seed %llu\n", seconds(),
                 static_cast<unsigned long long>(sum_.programs), static_cast<unsigned long long>(sum_.tasks),
                 static_cast<double>(sum_.programs) / seconds(), static_cast<unsigned long long>(next));
  }

  int conclude(std::uint64_t next) {
    const int status = sum_.failed + stuck_.failed == 0 ? 0 : 1;
    if (oracle::ranks().here != 0) return status;
    for (const oracle::totals* t : {&sum_, &stuck_}) {
      if (t->failed != 0)
        std::printf("FAILED after %llu programs\n%s", static_cast<unsigned long long>(sum_.programs),
                    t->report.c_str());
    }
    std::printf(
        "LOST %llu DOUBLED %llu in %llu programs / %llu tasks, seeds %llu..%llu, and %llu programs made to deadlock; "
        "%.0f programs/s; command: %s\n",
        static_cast<unsigned long long>(sum_.lost + stuck_.lost),
        static_cast<unsigned long long>(sum_.doubled + stuck_.doubled), static_cast<unsigned long long>(sum_.programs),
        static_cast<unsigned long long>(sum_.tasks), static_cast<unsigned long long>(options_.first),
        static_cast<unsigned long long>(next == 0 ? 0 : next - 1), static_cast<unsigned long long>(stuck_.programs),
        static_cast<double>(sum_.programs) / seconds(), command_.c_str());
#ifdef ORACLE_OF_RANKS
    if (options_.shuffle) std::printf("weather: %s\n", support::text_of(support::weather_so_far()).c_str());
#endif
    return status;
  }

  options options_;
  std::string command_;
  oracle::hang_guard guard_;
  std::atomic<std::uint64_t>* ended_;
  std::vector<oracle::setting> alone_;    // of one place
  std::vector<oracle::setting> several_;  // of several
  std::uint64_t chunk_ = 0;
  oracle::totals sum_;
  oracle::totals stuck_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_line_ = 5;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    std::string command = "soak";
    for (const std::string& word : words) command += ' ' + word;
#ifdef ORACLE_OF_RANKS
    const options asked = parse(words);
    oracle::meet_ranks();
    const options chosen = of_ranks(asked);
#else
    const options chosen = parse(words);
#endif
#ifdef ORACLE_OF_RANKS
    if (chosen.shuffle)
      support::shuffle_mpi(chosen.first * oracle::k_max_places + static_cast<unsigned>(oracle::ranks().here));
#endif
#ifdef ORACLE_CAN_SHUFFLE
    std::optional<support::shuffled_messages<>> shuffled;
    if (chosen.shuffle) shuffled.emplace();
    ts::detail::let_odd_places_play_swapped(chosen.unlike);
#endif
    return soak(chosen, command).run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "soak: %s\n", e.what());
    return 2;
  }
}
