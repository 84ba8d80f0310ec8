// SPDX-License-Identifier: Apache-2.0
// Each place has a share of the table, one worker, and a part of the numbers. Nothing here knows whether places lie in one process.
#include "updates.hpp"

#include <tactus/tactus.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace tour {
namespace {

constexpr std::size_t k_gathered = 1024;

// The words whose number leaves the remainder `first`, divided by the number of places. With one worker at each place, and no task that
// waits between reading a word and writing it, nobody has to lock them.
struct share {
  share() = default;
  share(int places, int here)
      : words((k_words + static_cast<std::size_t>(places - 1 - here)) / static_cast<std::size_t>(places)) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = i * static_cast<std::size_t>(places) + static_cast<std::size_t>(here);
    }
  }

  void put(std::uint64_t number) { words[word_of(number) / static_cast<std::size_t>(ts::num_places())] ^= number; }

  std::vector<std::uint64_t> words;
};
using table = ts::place_local_ref<share>;

ts::place home_of(std::uint64_t number) {
  return ts::place(static_cast<int>(word_of(number) % static_cast<std::size_t>(ts::num_places())));
}

struct one_by_one {
  void operator()(table all, std::size_t updates) const {
    std::uint64_t number = first_number(ts::here().id());
    for (std::size_t i = 0; i < updates; ++i) {
      number = next_number(number);
      ts::async_at(home_of(number), [](table t, std::uint64_t x) { t->put(x); }, all, number);
    }
  }
};

struct gathered {
  void operator()(table all, std::size_t updates) const {
    const auto send = [&](ts::place to, std::vector<std::uint64_t>& numbers) {
      ts::async_at(
          to,
          [](table t, const std::vector<std::uint64_t>& these) {
            for (const std::uint64_t x : these) t->put(x);
          },
          all, std::exchange(numbers, {}));
      numbers.reserve(k_gathered);
    };
    std::vector<std::vector<std::uint64_t>> for_place(static_cast<std::size_t>(ts::num_places()));
    std::uint64_t number = first_number(ts::here().id());
    for (std::size_t i = 0; i < updates; ++i) {
      number = next_number(number);
      const ts::place to = home_of(number);
      std::vector<std::uint64_t>& numbers = for_place[static_cast<std::size_t>(to.id())];
      numbers.push_back(number);
      if (numbers.size() == k_gathered) {
        send(to, numbers);
      }
    }
    for (const ts::place to : ts::places()) {
      send(to, for_place[static_cast<std::size_t>(to.id())]);
    }
  }
};

std::uint64_t marks(const share& mine) {
  const share first(ts::num_places(), ts::here().id());  // whose words hold where they lie
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < mine.words.size(); ++i) sum += mark(first.words[i], mine.words[i]);
  return sum;
}

std::size_t wrong_words(const share& mine) {
  const share right(ts::num_places(), ts::here().id());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < right.words.size(); ++i) wrong += right.words[i] != mine.words[i] ? 1U : 0U;
  return wrong;
}

template <class Put>
update_form updates_with(int places) {
  const auto runtime = std::make_shared<ts::runtime>(ts::config{.threads = 1, .places = places, .env = false});
  return [runtime](std::size_t updates) {
    return runtime->run([updates] {
      ts::place_local<share> all;
      ts::at_each(ts::places(), [](table t) { *t = share(ts::num_places(), ts::here().id()); }, all.ref());
      const auto put = [&] {
        ts::at_each(ts::places(), Put(), all.ref(), updates / static_cast<std::size_t>(ts::num_places()));
      };
      seen result;
      put();
      for (const ts::place p : ts::places()) result.once += all.at(p, [](const share& mine) { return marks(mine); });
      put();
      for (const ts::place p : ts::places())
        result.wrong += all.at(p, [](const share& mine) { return wrong_words(mine); });
      return result;
    });
  };
}

}  // namespace

update_form updates_one_by_one(int places) { return updates_with<one_by_one>(places); }
update_form updates_gathered(int places) { return updates_with<gathered>(places); }

}  // namespace tour
