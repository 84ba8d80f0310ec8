// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>
#include <tactus/place/impl/exception_bytes.hpp>
#include <tactus/place/impl/exception_registry.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/remote_exception.hpp>

#include "base/type_name.hpp"
#include "place/exception_nodes.hpp"
#include "place/known_exceptions.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <typeinfo>
#include <vector>

namespace tactus::detail {

namespace {

using exceptions = std::vector<std::exception_ptr>;

// What throwing an exception once more tells of it.
struct sighting {
  exception_node node = exception_node::unknown;
  std::string type_name;
  std::string text;
  known_number known = k_not_known;
  system_error_parts system{};
  std::string registered_name;
  std::optional<exception_crossing> crossing;
  const exceptions* elements = nullptr;  // of the exception, which whoever asked keeps
  bool has_own_text = true;
  int converted_at = 0;
};

// Whether what is being handled is an E and nothing that derives from it.
template <class E>
bool is_exactly() {
#ifdef __cpp_rtti
  const std::type_info* const type = type_being_handled();
  return type != nullptr && *type == typeid(E);
#else
  return true;
#endif
}

// Nested finishes in which nothing else failed have one text, that of the innermost.
bool says_what_its_only_element_says(const multiple_exceptions& outer) {
  if (outer.exceptions().size() != 1 || outer.exceptions().front() == nullptr) {
    return false;
  }
  try {
    std::rethrow_exception(outer.exceptions().front());
  } catch (const multiple_exceptions& inner) {
    return is_exactly<multiple_exceptions>() && std::string_view(inner.what()) == outer.what();
  } catch (...) {
    return false;
  }
}

class writer_of_exceptions {
public:
  explicit writer_of_exceptions(place here) : here_(here) {
    append(k_order_mark, static_cast<std::int32_t>(here.id()));
  }

  std::vector<std::byte> write(const std::exception_ptr& thrown) {
    add(thrown);
    while (!open_.empty()) {
      open_list& last = open_.back();
      if (last.next == last.elements->size()) {
        deadlocks_ -= last.is_deadlock ? 1 : 0;
        open_.pop_back();
      } else {
        add(std::exception_ptr((*last.elements)[last.next++]));
      }
    }
    return std::move(bytes_);
  }

private:
  struct open_list {
    std::exception_ptr owner;
    const exceptions* elements;
    std::size_t next;
    bool is_deadlock;
  };

  template <class... T>
  void append(const T&... x) {
    const std::size_t before = bytes_.size();
    const std::size_t n = packed_bytes(x...);
    bytes_.resize(before + n);
    pack_here(bytes_.data() + before, n, x...);
  }

  [[nodiscard]] sighting look_at(const std::exception_ptr& one) const;
  void add(const std::exception_ptr& one);
  void add_registered(const std::exception_ptr& one, const sighting& seen);
  void add_unknown(const sighting& seen) {
    append(exception_node::unknown, seen.type_name, seen.text, static_cast<std::int32_t>(seen.converted_at));
  }
  void open(const std::exception_ptr& owner, const sighting& seen);

  const place here_;
  std::vector<std::byte> bytes_;
  std::vector<open_list> open_;
  int deadlocks_ = 0;
};

void classify(const std::exception& e, sighting& into) {
  const char* const what = e.what();
  into.text = what != nullptr ? what : "";
#ifdef __cpp_rtti
  if (const std::type_info* const type = type_being_handled(); type != nullptr) {
    into.known = number_of_known(*type);
    into.crossing = find_registered(*type);
    into.registered_name = type->name();
    into.node = into.known != k_not_known ? exception_node::known
                : into.crossing           ? exception_node::registered
                                          : exception_node::unknown;
  }
#endif
}

sighting writer_of_exceptions::look_at(const std::exception_ptr& one) const {
  sighting seen;
  seen.converted_at = here_.id();
  try {
    std::rethrow_exception(one);
  } catch (const multiple_exceptions& e) {
    classify(e, seen);
    if (is_exactly<multiple_exceptions>()) {
      seen.node = exception_node::list;
      seen.elements = &e.exceptions();
      seen.has_own_text = !says_what_its_only_element_says(e);
    }
    seen.type_name = name_of_type_being_handled();
  } catch (const deadlock_error& e) {
    classify(e, seen);
    if (is_exactly<deadlock_error>() && deadlocks_ < k_most_deadlocks) {
      seen.node = exception_node::deadlock;
      seen.elements = &e.exceptions();
    }
    seen.type_name = name_of_type_being_handled();
  } catch (const remote_exception& e) {
    classify(e, seen);
    seen.type_name = name_of_type_being_handled();
    if (is_exactly<remote_exception>()) {
      seen.type_name = e.type_name();
      seen.converted_at = e.place().id();
    }
  } catch (const std::system_error& e) {
    classify(e, seen);
    if (is_exactly<std::system_error>()) {
      seen.node = take_apart(e, seen.system) ? exception_node::system : exception_node::unknown;
    }
    seen.type_name = name_of_type_being_handled();
  } catch (const std::exception& e) {
    classify(e, seen);
    seen.type_name = name_of_type_being_handled();
  } catch (...) {
    seen.type_name = name_of_type_being_handled();
    seen.text = "exception of type " + seen.type_name;
  }
  return seen;
}

void writer_of_exceptions::add(const std::exception_ptr& one) {
  if (one == nullptr) {
    append(exception_node::nothing);
    return;
  }
  const sighting seen = look_at(one);
  switch (seen.node) {
    case exception_node::known: append(seen.node, seen.known, seen.text); break;
    case exception_node::system: append(seen.node, seen.system); break;
    case exception_node::registered: add_registered(one, seen); break;
    case exception_node::list:
    case exception_node::deadlock: open(one, seen); break;
    default: add_unknown(seen);
  }
}

// No exception is being handled while the user's code runs.
void writer_of_exceptions::add_registered(const std::exception_ptr& one, const sighting& seen) {
  std::vector<std::byte> data;
  try {
    const void* const object = seen.crossing->object(one);
    if (object == nullptr) {
      add_unknown(seen);
      return;
    }
    seen.crossing->save(object, data);
  } catch (...) {
    add_unknown(seen);
    return;
  }
  append(seen.node, seen.registered_name, seen.type_name, seen.text, data);
}

void writer_of_exceptions::open(const std::exception_ptr& owner, const sighting& seen) {
  const auto n = static_cast<std::uint64_t>(seen.elements->size());
  const bool is_deadlock = seen.node == exception_node::deadlock;
  if (is_deadlock) {
    append(seen.node, seen.text, n);
    ++deadlocks_;
  } else if (seen.has_own_text) {
    append(seen.node, true, seen.text, n);
  } else {
    append(seen.node, false, n);
  }
  open_.push_back({owner, seen.elements, 0, is_deadlock});
}

}  // namespace

std::vector<std::byte> exception_to_bytes(const std::exception_ptr& thrown, place here) {
  return writer_of_exceptions(here).write(thrown);
}

}  // namespace tactus::detail
