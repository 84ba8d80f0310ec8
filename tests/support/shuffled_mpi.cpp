// SPDX-License-Identifier: Apache-2.0
#include "support/shuffled_mpi.hpp"

#include "mpi/packed_frames.hpp"
#include "mpi/range_tags.hpp"
#include "place/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <mpi.h>

namespace support {
namespace {

namespace td = tactus::detail;
using clock = std::chrono::steady_clock;

constexpr int k_together = 1;  // the engine's tags
constexpr int k_alone = 2;
constexpr std::uint32_t k_the_one = 10;
constexpr std::size_t k_number_at = 4;  // in a frame
constexpr std::size_t k_from_at = 8;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "shuffled_mpi: %s\n", what);
  std::abort();
}
void check(int code) {
  if (code != MPI_SUCCESS) give_up("a call of MPI failed");
}

// What the engine has sent, and waits for: over when all that is made of it has left. To the engine it is a request like others.
class outer {
public:
  outer() { check(MPI_Grequest_start(say_nothing, forget, forget_cancel, nullptr, &request_)); }
  outer(const outer&) = delete;
  outer& operator=(const outer&) = delete;
  ~outer() { check(MPI_Grequest_complete(request_)); }

  [[nodiscard]] MPI_Request request() const { return request_; }

private:
  static int say_nothing(void* /*unused*/, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  }
  static int forget(void* /*unused*/) { return MPI_SUCCESS; }
  static int forget_cancel(void* /*unused*/, int /*complete*/) { return MPI_SUCCESS; }

  MPI_Request request_ = MPI_REQUEST_NULL;
};

struct way {
  MPI_Comm comm;
  int to;
  int tag;
  friend bool operator<(const way& a, const way& b) {
    return std::tie(a.comm, a.to, a.tag) < std::tie(b.comm, b.to, b.tag);
  }
};

struct parcel {
  way by{};
  std::vector<std::byte> own{};  // of frames that went together
  const void* bytes = nullptr;
  int length = 0;
  bool synchronous = false;
  std::uint64_t serial = 0;
  std::shared_ptr<outer> of{};
  MPI_Request request = MPI_REQUEST_NULL;
};

// To one other rank, by one runtime.
struct counts {
  std::uint32_t control = 0;
  std::uint32_t tasks = 0;
  std::uint32_t frames = 0;
  std::uint64_t messages = 0;  // that the engine knows of
  std::uint64_t parcels = 0;   // that they have become
};

class sky {
public:
  void begin(std::uint64_t seed, mpi_fault fault) {
    const std::lock_guard hold(mutex_);
    random_.seed(seed);
    fault_ = fault;
    on_.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] bool is_on() const { return on_.load(std::memory_order_relaxed); }

  [[nodiscard]] weather so_far() {
    const std::lock_guard hold(mutex_);
    return seen_;
  }

  MPI_Request send(const way& by, const void* bytes, int length, bool synchronous) {
    const std::lock_guard hold(mutex_);
    const auto of = std::make_shared<outer>();
    const MPI_Request request = of->request();
    if (by.tag == k_together) {
      take_apart(by, {static_cast<const std::byte*>(bytes), static_cast<std::size_t>(length)}, of);
    } else {
      parcel p{.by = by, .bytes = bytes, .length = length, .synchronous = synchronous, .of = of};
      add(std::move(p), true);
    }
    look();
    return request;
  }

  // Sends on what is due, and says whether who asks whether something has come, or left, is told so.
  bool tells() {
    const std::lock_guard hold(mutex_);
    look();
    const bool is_told = random_() % 4 != 0;
    seen_.unseen += is_told ? 0U : 1U;
    return is_told;
  }

  // Each rank tells each other one how many messages it has sent, when it will send no more.
  const std::uint64_t* sent_in_all(MPI_Comm comm, const std::uint64_t* sent) {
    const std::lock_guard hold(mutex_);
    int ranks = 0;
    check(MPI_Comm_size(comm, &ranks));
    std::vector<std::uint64_t>& all = sent_[comm];
    all.assign(sent, sent + ranks);
    for (int to = 0; to < ranks; ++to) {
      const auto c = counts_.find({comm, to, k_together});
      if (c == counts_.end()) continue;
      if (all[static_cast<std::size_t>(to)] != c->second.messages) give_up("the engine counts otherwise");
      all[static_cast<std::size_t>(to)] = c->second.parcels;
      counts_.erase(c);
    }
    return all.data();
  }

private:
  struct frame {
    std::span<const std::byte> bytes;  // with what announces it
    td::frame_head head;
    bool is_here = false;
    bool keeps_its_turn = false;  // announces one that comes alone: these are received in that order
  };

  void take_apart(const way& by, std::span<const std::byte> message, const std::shared_ptr<outer>& of) {
    counts& c = counts_[by];
    ++c.messages;
    const std::vector<frame> frames = frames_of(message);
    std::size_t parcels = 0;
    for (std::size_t i = 0; i < frames.size(); ++parcels) {
      std::vector<std::byte> bytes;
      bool keeps_its_turn = false;
      mpi_fault planted = mpi_fault::none;
      do {  // some stay together
        planted = fault_in(c, frames[i]);
        if (planted != mpi_fault::none && !bytes.empty()) put(by, c, bytes, std::exchange(keeps_its_turn, false), of);
        bytes.insert(bytes.end(), frames[i].bytes.begin(), frames[i].bytes.end());
        keeps_its_turn = keeps_its_turn || frames[i].keeps_its_turn;
        ++i;
      } while (planted == mpi_fault::none && i < frames.size() && random_() % 2 == 0);
      if (planted != mpi_fault::none) spoil(planted, bytes);
      if (planted == mpi_fault::doubles_control || planted == mpi_fault::doubles_task) {
        std::vector<std::byte> again = bytes;
        put(by, c, again, keeps_its_turn, of);
      }
      if (!bytes.empty()) put(by, c, bytes, keeps_its_turn, of);
    }
    seen_.split += parcels > 1 ? 1U : 0U;
  }

  static std::vector<frame> frames_of(std::span<const std::byte> message) {
    std::vector<frame> all;
    td::packed_frames frames(message, td::byte_order::same);
    std::size_t at = 0;
    for (td::packed_frames::one next; frames.take(next);) {
      const std::size_t said = next.tag != 0 ? td::bytes_of_announcement(next.ranges.size()) : 0;
      const std::size_t bytes = said + (next.alone != 0 ? td::k_announcement : next.here.size());
      frame f{.bytes = message.subspan(at, bytes), .head = {}, .is_here = next.alone == 0};
      f.keeps_its_turn = next.alone != 0;
      if (f.is_here && td::read_head(next.here, td::byte_order::same, f.head) != nullptr) give_up("no frame was sent");
      f.is_here = f.is_here && next.tag == 0;  // as it stands at the begin of its bytes
      all.push_back(f);
      at += bytes;
    }
    if (frames.damaged() != nullptr) give_up(frames.damaged());
    return all;
  }

  // Whether this is the one.
  mpi_fault fault_in(counts& c, const frame& f) {
    if (!f.is_here) return mpi_fault::none;
    const bool is_control = td::is_control(f.head.kind);
    const bool is_task = f.head.kind == td::message_kind::task;
    ++c.frames;
    c.control += is_control ? 1U : 0U;
    c.tasks += is_task ? 1U : 0U;
    switch (fault_) {
      case mpi_fault::none: break;
      case mpi_fault::loses_control:
      case mpi_fault::doubles_control:
      case mpi_fault::renumbers_control: return is_control && c.control == k_the_one ? fault_ : mpi_fault::none;
      case mpi_fault::loses_task:
      case mpi_fault::doubles_task: return is_task && c.tasks == k_the_one ? fault_ : mpi_fault::none;
      case mpi_fault::damages_head:
      case mpi_fault::cuts_frame: return c.frames == k_the_one ? fault_ : mpi_fault::none;
    }
    return mpi_fault::none;
  }

  void spoil(mpi_fault planted, std::vector<std::byte>& bytes) {
    ++seen_.faults;
    switch (planted) {
      case mpi_fault::loses_control:
      case mpi_fault::loses_task: bytes.clear(); break;
      case mpi_fault::renumbers_control: {
        std::uint32_t number = 0;
        std::memcpy(&number, bytes.data() + k_number_at, sizeof number);
        ++number;
        std::memcpy(bytes.data() + k_number_at, &number, sizeof number);
        break;
      }
      case mpi_fault::damages_head: bytes[k_from_at] ^= std::byte{64}; break;
      case mpi_fault::cuts_frame: bytes.resize(bytes.size() - td::k_frame_word); break;
      default: break;
    }
  }

  void put(const way& by, counts& c, std::vector<std::byte>& bytes, bool keeps_its_turn,
           const std::shared_ptr<outer>& of) {
    ++c.parcels;
    parcel p{.by = by, .own = std::exchange(bytes, {}), .of = of};
    p.bytes = p.own.data();  // which does not move with it
    p.length = static_cast<int>(p.own.size());
    add(std::move(p), keeps_its_turn);
  }

  void add(parcel p, bool keeps_its_turn) {
    p.serial = ++seen_.frames;
    clock::time_point due = clock::now() + delay();
    if (keeps_its_turn) {
      clock::time_point& last = last_[p.by];
      due = last = std::max(last, due);
    }
    waiting_.emplace(due, std::move(p));  // behind those of the same time
  }

  // Some milliseconds, seldom: so long that all workers sleep by then.
  clock::duration delay() {
    const std::uint64_t dice = random_() % 256;
    const std::chrono::microseconds long_ago{0};
    if (dice >= 96) return long_ago;
    ++seen_.late;
    return std::chrono::microseconds(dice == 0 ? 3000 : random_() % 200);
  }

  void look() {
    for (auto it = leaving_.begin(); it != leaving_.end();) {
      int done = 0;
      check(PMPI_Test(&it->request, &done, MPI_STATUS_IGNORE));
      it = done != 0 ? leaving_.erase(it) : std::next(it);
    }
    const clock::time_point now = clock::now();
    while (!waiting_.empty() && waiting_.begin()->first <= now) {
      const auto first = waiting_.begin();
      seen_.passed += first->second.serial < last_serial_ ? 1U : 0U;
      last_serial_ = std::max(last_serial_, first->second.serial);
      parcel& p = leaving_.emplace_back(std::move(first->second));
      waiting_.erase(first);
      check((p.synchronous ? PMPI_Issend : PMPI_Isend)(p.bytes, p.length, MPI_BYTE, p.by.to, p.by.tag, p.by.comm,
                                                       &p.request));
    }
  }

  std::mutex mutex_;  // protects the rest
  std::mt19937_64 random_;
  mpi_fault fault_ = mpi_fault::none;
  std::multimap<clock::time_point, parcel> waiting_;
  std::list<parcel> leaving_;
  std::map<way, counts> counts_;
  std::map<way, clock::time_point> last_;
  std::map<MPI_Comm, std::vector<std::uint64_t>> sent_;
  std::uint64_t last_serial_ = 0;
  weather seen_;
  std::atomic<bool> on_{false};
};

// Never destroyed: MPI is finalised at exit.
sky& the_sky() {
  static sky* const only = new sky;
  return *only;
}

bool is_of_engine(int tag) { return tag == k_together || tag == k_alone || tag >= td::k_first_range_tag; }

constexpr std::array<std::pair<std::string_view, mpi_fault>, 8> k_faults{{
    {"none", mpi_fault::none},
    {"loses_control", mpi_fault::loses_control},
    {"doubles_control", mpi_fault::doubles_control},
    {"renumbers_control", mpi_fault::renumbers_control},
    {"loses_task", mpi_fault::loses_task},
    {"doubles_task", mpi_fault::doubles_task},
    {"damages_head", mpi_fault::damages_head},
    {"cuts_frame", mpi_fault::cuts_frame},
}};

}  // namespace

void shuffle_mpi(std::uint64_t seed, mpi_fault fault) { the_sky().begin(seed, fault); }

std::optional<mpi_fault> mpi_fault_of(std::string_view name) {
  for (const auto& [known, fault] : k_faults) {
    if (known == name) return fault;
  }
  return std::nullopt;
}

weather weather_so_far() { return the_sky().so_far(); }

std::string text_of(const weather& w) {
  return std::to_string(w.frames) + " parcels, of them " + std::to_string(w.late) + " late and " +
         std::to_string(w.passed) + " passed by later ones; " + std::to_string(w.split) + " messages split, " +
         std::to_string(w.unseen) + " looks in vain, " + std::to_string(w.faults) + " faults";
}

}  // namespace support

// What the engine calls. NOLINTBEGIN(readability-identifier-naming, readability-inconsistent-declaration-parameter-name)
extern "C" {

int MPI_Isend(const void* bytes, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  support::sky& weather = support::the_sky();
  if (!weather.is_on() || type != MPI_BYTE || !support::is_of_engine(tag)) {
    return PMPI_Isend(bytes, n, type, to, tag, comm, request);
  }
  *request = weather.send({comm, to, tag}, bytes, n, false);
  return MPI_SUCCESS;
}

int MPI_Issend(const void* bytes, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  support::sky& weather = support::the_sky();
  if (!weather.is_on() || type != MPI_BYTE || !support::is_of_engine(tag)) {
    return PMPI_Issend(bytes, n, type, to, tag, comm, request);
  }
  *request = weather.send({comm, to, tag}, bytes, n, true);
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  support::sky& weather = support::the_sky();
  if (weather.is_on() && !weather.tells()) {
    *done = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Test(request, done, status);
}

int MPI_Testany(int n, MPI_Request requests[], int* which, int* done, MPI_Status* status) {
  support::sky& weather = support::the_sky();
  if (weather.is_on() && !weather.tells()) {
    *which = MPI_UNDEFINED;
    *done = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Testany(n, requests, which, done, status);
}

int MPI_Ialltoall(const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype type_into, MPI_Comm comm,
                  MPI_Request* request) {
  support::sky& weather = support::the_sky();
  if (weather.is_on() && type == MPI_UINT64_T && n == 1) {
    from = weather.sent_in_all(comm, static_cast<const std::uint64_t*>(from));
  }
  return PMPI_Ialltoall(from, n, type, into, m, type_into, comm, request);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, readability-inconsistent-declaration-parameter-name)
