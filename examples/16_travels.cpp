// SPDX-License-Identifier: Apache-2.0
// What goes from place to place: values, classes of one's own, exceptions.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

//! [travels]
struct reading {  // an aggregate of what travels: nothing has to be said
  double value;
  std::vector<std::string> marks;
};

class table {  // fields that nobody sees: it says itself what of it goes
public:
  void add(std::string name, reading r) { rows_[std::move(name)] = std::move(r); }

  template <class Ar>
  friend void serialize(Ar& ar, table& t) {  // both ways: it writes where t is sent, and reads where it arrives
    ar & t.rows_;
    if (Ar::loading) t.last_found_ = nullptr;
  }

private:
  std::map<std::string, reading> rows_;
  const reading* last_found_ = nullptr;  // stays
};

static_assert(ts::travels<reading> && ts::travels<table> && ts::travels<std::vector<table>>);
static_assert(!ts::travels<const reading*>);
//! [travels]

//! [register_exception]
class bad_reading : public std::runtime_error {
public:
  bad_reading() : std::runtime_error("bad reading") {}
  explicit bad_reading(int line) : std::runtime_error("bad reading"), line_(line) {}
  [[nodiscard]] int line() const { return line_; }

  template <class Ar>
  void serialize(Ar& ar) {
    ar & line_;
  }

private:
  int line_ = 0;
};
inline const ts::register_exception<bad_reading> k_bad_reading;  // arrives as what it is, with its line
//! [register_exception]

void tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const bad_reading& e) {
    std::printf("%s in line %d\n", e.what(), e.line());
    //! [remote_exception]
  } catch (const ts::remote_exception& e) {  // a type that nobody has registered
    std::printf("%s at %s: %s\n", e.type_name().c_str(), to_string(e.place()).c_str(), e.what());
    //! [remote_exception]
    //! [place_error]
  } catch (const ts::place_error& e) {  // no such place, a message that is damaged, an object of another place
    std::printf("refused: %s\n", e.what());
    //! [place_error]
  }
}

int main() {
  table results;
  results.add("first", {1.5, {"checked"}});

  //! [place]
  std::map<ts::place, int> tasks_at;
  tasks_at[ts::place()] += 1;  // place 0
  for (const auto& [where, tasks] : tasks_at) std::printf("%s: %d task\n", to_string(where).c_str(), tasks);
  //! [place]

  //! [unlooked]
  constexpr auto k_numbers_only = ts::unlooked;  // before a closure whose numbers may look like addresses
  //! [unlooked]
  static_cast<void>(k_numbers_only);

  tell(std::make_exception_ptr(bad_reading(7)));
  tell(std::make_exception_ptr(ts::remote_exception("disk_error", ts::place(), "no space")));
  tell(std::make_exception_ptr(ts::place_error("there is no place 9")));
}

// Prints: place 0: 1 task
// Prints: bad reading in line 7
// Prints: disk_error at place 0: no space
// Prints: refused: there is no place 9
