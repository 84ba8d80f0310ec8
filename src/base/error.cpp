// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>

#include <tactus/base/impl/atomic.hpp>

#include "base/type_name.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace tactus {

namespace {

// Each is clipped, so that the text of finishes nested n deep does not grow with the product of their messages: 16
// messages a level, 2 KiB each, whatever lies below.
constexpr std::size_t k_quoted_messages = 16;

}  // namespace

// The elements, shared by the copies of an exception.
struct multiple_exceptions::shared_list {
  // Of an element that is a multiple_exceptions itself: its own list, so that the exception may go before the list
  // does.
  struct inner_list {
    std::size_t position;
    list_handle list;
  };

  explicit shared_list(std::vector<std::exception_ptr> collected) noexcept : elements(std::move(collected)) {}

  // True for the last reference: the caller is to free the list then.
  [[nodiscard]] bool let_go() noexcept {
    return references.fetch_sub(1, detail::memory_order_acq_rel) == 1;  // acq_rel: the last one sees what others did
  }

  static void free(shared_list* dead) noexcept;

  std::vector<std::exception_ptr> elements;
  std::vector<inner_list> inner;  // by position
  detail::atomic<std::size_t> references{1};
  shared_list* next_dead = nullptr;  // of whoever frees it
};

// An inner exception that goes with the elements takes nothing along, since `inner` still has its list. So nothing here
// calls itself, and a list that somebody else shares, perhaps in another thread just now, goes with its last reference
// wherever that is.
void multiple_exceptions::shared_list::free(shared_list* dead) noexcept {
  while (dead != nullptr) {
    shared_list* const one = std::exchange(dead, dead->next_dead);
    one->elements.clear();
    for (inner_list& below : one->inner) {
      if (shared_list* const shared = below.list.give_up(); shared->let_go()) {
        shared->next_dead = std::exchange(dead, shared);
      }
    }
    delete one;
  }
}

multiple_exceptions::list_handle::list_handle(const list_handle& other) noexcept : list_(other.list_) {
  list_->references.fetch_add(1, detail::memory_order_relaxed);  // relaxed: other keeps it alive
}

multiple_exceptions::list_handle& multiple_exceptions::list_handle::operator=(const list_handle& other) noexcept {
  list_handle copy(other);
  std::swap(list_, copy.list_);
  return *this;
}

multiple_exceptions::list_handle::~list_handle() {
  if (list_ != nullptr && list_->let_go()) {
    shared_list::free(list_);
  }
}

// What one look at each element tells: only throwing it shows what it is.
struct multiple_exceptions::contents {
  contents(std::vector<std::exception_ptr> collected, const std::vector<std::string>& from);

  list_handle list;
  std::string text;

private:
  std::string look_at(std::size_t position);
};

multiple_exceptions::contents::contents(std::vector<std::exception_ptr> collected, const std::vector<std::string>& from)
    : list(new shared_list(std::move(collected))) {
  const std::size_t n = list->elements.size();
  text = std::to_string(n) + (n == 1 ? " exception" : " exceptions");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string message = look_at(i);
    if (n == 1 && !list->inner.empty()) {
      text = message;
    } else if (i < k_quoted_messages) {
      text += (i == 0 ? ": " : "; ") + message;
      if (i < from.size() && !from[i].empty()) {
        text += " (" + detail::clipped(from[i]) + ')';
      }
    }
  }
  if (n > k_quoted_messages) {
    text += "; and " + std::to_string(n - k_quoted_messages) + " more";
  }
}

// Notes its list if it is a multiple_exceptions. A finish in which nothing but an inner finish failed adds nothing to
// the text. Thus one failure deep in a recursion reads at the root as it did where it happened, and not as "1
// exception: [1 exception: [...".
std::string multiple_exceptions::contents::look_at(std::size_t position) {
  const std::exception_ptr& one = list->elements[position];
  if (one == nullptr) {
    return "no exception";
  }
  try {
    std::rethrow_exception(one);
  } catch (const multiple_exceptions& nested) {
    list->inner.push_back({position, nested.list_});
    return list->elements.size() == 1 ? nested.what() : '[' + detail::clipped(nested.what()) + ']';
  } catch (const std::exception& known) {
    const char* const what = known.what();
    return detail::name_of_type_being_handled() + ": \"" + detail::clipped(what != nullptr ? what : "") + '"';
  } catch (...) {
    return "exception of type " + detail::name_of_type_being_handled();
  }
}

multiple_exceptions::multiple_exceptions(const contents& what_it_says)
    : error(what_it_says.text), list_(what_it_says.list) {}

multiple_exceptions::multiple_exceptions(std::vector<std::exception_ptr> collected)
    : multiple_exceptions(contents(std::move(collected), {})) {}

multiple_exceptions::multiple_exceptions(std::vector<std::exception_ptr> collected,
                                         const std::vector<std::string>& from)
    : multiple_exceptions(contents(std::move(collected), from)) {}

multiple_exceptions::multiple_exceptions(const std::string& what)
    : multiple_exceptions(detail::exceptions_that_say(what, {})) {}

multiple_exceptions detail::exceptions_that_say(std::string what, std::vector<std::exception_ptr> collected) {
  multiple_exceptions::contents as_they_are(std::move(collected), {});
  as_they_are.text = std::move(what);
  return multiple_exceptions(as_they_are);
}

multiple_exceptions::~multiple_exceptions() = default;

const std::vector<std::exception_ptr>& multiple_exceptions::exceptions() const noexcept { return list_->elements; }

// By places in lists rather than by recursion: a failure may lie under a hundred thousand nested finishes.
std::vector<std::exception_ptr> multiple_exceptions::flattened() const {
  struct place {
    const shared_list* list;
    std::size_t element = 0;
    std::size_t inner = 0;
  };
  std::vector<std::exception_ptr> leaves;
  std::vector<place> open{{&*list_}};
  while (!open.empty()) {
    place& here = open.back();
    const shared_list& list = *here.list;
    if (here.element == list.elements.size()) {
      open.pop_back();
    } else if (here.inner != list.inner.size() && list.inner[here.inner].position == here.element) {
      ++here.element;
      open.push_back({&*list.inner[here.inner++].list});
    } else {
      leaves.push_back(list.elements[here.element++]);
    }
  }
  return leaves;
}

deadlock_error::deadlock_error(const std::string& what, std::vector<std::exception_ptr> others)
    : error(what), list_(std::make_shared<const std::vector<std::exception_ptr>>(std::move(others))) {}

}  // namespace tactus
