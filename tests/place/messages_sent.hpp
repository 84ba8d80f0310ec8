// SPDX-License-Identifier: Apache-2.0
// How many messages of each kind places of this process send.
#pragma once

#include <tactus/tactus.hpp>

#include "place/place_node.hpp"

#include <cstdint>
#include <ostream>
#include <utility>

namespace support {

/// Messages that have been sent.
struct sent {
  std::uint64_t tasks = 0;
  std::uint64_t requests = 0;  // of at()
  std::uint64_t replies = 0;
  std::uint64_t reports = 0;
  std::uint64_t others = 0;

  bool operator==(const sent&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const sent& s) {
    return out << s.tasks << " tasks, " << s.requests << " requests, " << s.replies << " replies, " << s.reports
               << " reports, " << s.others << " others";
  }
};

inline tactus::detail::place_node& node_of(int place) {
  return tactus::detail::place_node::of(tactus::detail::current_worker()).at(place);
}

inline sent operator+(const sent& a, const sent& b) {
  return {a.tasks + b.tasks, a.requests + b.requests, a.replies + b.replies, a.reports + b.reports,
          a.others + b.others};
}
inline sent operator-(const sent& a, const sent& b) {
  return {a.tasks - b.tasks, a.requests - b.requests, a.replies - b.replies, a.reports - b.reports,
          a.others - b.others};
}

inline sent by_place(int place) {
  using kind = tactus::detail::message_kind;
  const tactus::detail::place_node& n = node_of(place);
  sent s{n.messages(kind::task), n.messages(kind::at_request), n.messages(kind::at_reply), n.messages(kind::report), 0};
  s.others = n.messages() - s.tasks - s.requests - s.replies - s.reports;
  return s;
}

inline sent by_all() {
  sent all;
  for (const tactus::place p : tactus::places()) all = all + by_place(p.id());
  return all;
}

/// What f sends; nothing else of the program may send meanwhile.
template <class F>
sent messages_of(F&& f) {
  const sent before = by_all();
  std::forward<F>(f)();
  return by_all() - before;
}

}  // namespace support
