// SPDX-License-Identifier: Apache-2.0
#include "place/call_table.hpp"

#include <tactus/base/impl/atomic.hpp>
#include <tactus/place/impl/wired_call.hpp>

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// ---- numbers of things ----

class hash {
public:
  hash& add(const void* bytes, std::size_t n) noexcept {
    for (const unsigned char c : std::span(static_cast<const unsigned char*>(bytes), n)) {
      value_ = (value_ ^ c) * 0x100000001b3U;  // Fowler, Noll and Vo's
    }
    return *this;
  }
  hash& add(std::string_view text) noexcept { return add(text.data(), text.size()); }
  hash& add(std::uint64_t x) noexcept { return add(&x, sizeof x); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

// The program itself, or a library that it has loaded.
struct loaded_object {
  std::uint64_t name = 0;  // without its folder; 0: the program
  std::uintptr_t base = 0;
};

std::uint64_t number_of_object(const dl_phdr_info& object) noexcept {
  const std::string_view path = object.dlpi_name != nullptr ? object.dlpi_name : "";
  return path.empty() ? 0 : hash().add(path.substr(path.find_last_of('/') + 1)).value();
}

template <class F>
void for_each_object(F&& f) noexcept {
  dl_iterate_phdr([](dl_phdr_info* object, std::size_t, void* use) { return (*static_cast<F*>(use))(*object) ? 1 : 0; },
                  &f);
}

// Calls f(begin, end, flags) of each segment until it says true.
template <class F>
bool any_segment(const dl_phdr_info& object, F&& f) noexcept {
  return std::ranges::any_of(std::span(object.dlpi_phdr, object.dlpi_phnum), [&](const auto& header) {
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && f(begin, begin + header.p_memsz, header.p_flags);
  });
}

// Where an address belongs; where nobody knows it, to a program that lies where it was linked to.
loaded_object object_of(std::uintptr_t address) noexcept {
  loaded_object found;
  for_each_object([&](const dl_phdr_info& object) {
    const bool is_in = any_segment(object, [address](std::uintptr_t begin, std::uintptr_t end, auto) {
      return begin <= address && address < end;
    });
    if (is_in) {
      found = {number_of_object(object), object.dlpi_addr};
    }
    return is_in;
  });
  return found;
}

loaded_object object_of_library() noexcept {
  static const char here = 0;
  return object_of(reinterpret_cast<std::uintptr_t>(&here));
}

// What the linker has stamped an object with, or, where it has not, how its segments lie.
void add_build(const dl_phdr_info& object, hash& into) noexcept {
  for (const auto& header : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (header.p_type == PT_NOTE) {
      into.add(reinterpret_cast<const void*>(object.dlpi_addr + header.p_vaddr), header.p_memsz);
    } else {
      into.add(std::uint64_t{header.p_type}).add(std::uint64_t{header.p_vaddr}).add(std::uint64_t{header.p_memsz});
    }
  }
}

// ---- the table ----

struct call_number {
  std::uint64_t token;
  const wired_type* entry;  // null: two have it
};
using call_numbers = std::vector<call_number>;

struct numbers_of_all {
  call_numbers of_build;
  call_numbers of_name;
};

constinit std::mutex g_mutex;                                // protects the list, and who makes a table
constinit wired_type* g_first = nullptr;                     // of all
constinit atomic<const numbers_of_all*> g_numbers{nullptr};  // null: to be made

void sort_and_mark(call_numbers& numbers) {
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i].token == numbers[i - 1].token) {
      numbers[i].entry = numbers[i - 1].entry = nullptr;
    }
  }
}

// With the lock held.
const numbers_of_all& make_numbers() {
  // Those before stay: somebody may be reading them. There is one for each library that is loaded late.
  static auto& kept = *new std::vector<std::unique_ptr<numbers_of_all>>;
  auto made = std::make_unique<numbers_of_all>();
  for (wired_type* e = g_first; e != nullptr; e = e->next) {
    if (e->token == 0) {  // else somebody may be reading it
      const auto address = reinterpret_cast<std::uintptr_t>(e);
      const loaded_object object = object_of(address);
      e->token = hash().add(object.name).add(std::uint64_t{address - object.base}).value();
      e->name_token = hash().add(std::string_view(e->type_name())).value();
    }
    made->of_build.push_back({e->token, e});
    made->of_name.push_back({e->name_token, e});
  }
  sort_and_mark(made->of_build);
  sort_and_mark(made->of_name);
  kept.push_back(std::move(made));
  g_numbers.store(kept.back().get(), memory_order_release);  // release: what it consists of; pairs with numbers()
  return *kept.back();
}

const numbers_of_all& numbers() {
  const numbers_of_all* now = g_numbers.load(memory_order_acquire);  // acquire: as above
  if (now == nullptr) [[unlikely]] {
    const std::lock_guard lock(g_mutex);
    now = g_numbers.load(memory_order_acquire);
    return now != nullptr ? *now : make_numbers();
  }
  return *now;
}

}  // namespace

void list(wired_type& type, bool is_there) noexcept {
  const std::lock_guard lock(g_mutex);
  if (is_there) {
    type.next = g_first;
    g_first = &type;
  } else {
    wired_type** at = &g_first;
    while (*at != nullptr && *at != &type) {
      at = &(*at)->next;
    }
    if (*at != nullptr) {
      *at = type.next;
    }
  }
  g_numbers.store(nullptr,
                  memory_order_relaxed);  // relaxed: nobody sends a type before it is listed, nor what has gone
}

std::uint64_t token_of(const wired_type& entry, token_kind kind) {
  static_cast<void>(numbers());
  return kind == token_kind::of_build ? entry.token : entry.name_token;
}

const wired_type* find_call(std::uint64_t token, token_kind kind) {
  const numbers_of_all& all = numbers();
  const call_numbers& these = kind == token_kind::of_build ? all.of_build : all.of_name;
  const auto at = std::lower_bound(these.begin(), these.end(), token,
                                   [](const call_number& n, std::uint64_t t) { return n.token < t; });
  return at != these.end() && at->token == token ? at->entry : nullptr;
}

std::uint64_t hash_of_build() noexcept {
  static const std::uint64_t found = [] {
    hash all;
    for_each_object([&all](const dl_phdr_info& object) {
      if (number_of_object(object) == 0 || object.dlpi_addr == object_of_library().base) {
        add_build(object, all);
      }
      return false;
    });
    return all.value();
  }();
  return found;
}

// ---- functions ----

function_name name_of_function(const void* function) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  const loaded_object object = object_of(address);
  return {object.name, address - object.base};
}

const void* function_of_name(function_name name, int from) {
  const void* found = nullptr;
  for_each_object([&](const dl_phdr_info& object) {
    const std::uintptr_t address = object.dlpi_addr + name.offset;
    const bool is_here = number_of_object(object) == name.module &&
                         any_segment(object, [address](std::uintptr_t begin, std::uintptr_t end, auto flags) {
                           return begin <= address && address < end && (flags & PF_X) != 0;
                         });
    if (is_here) {
      found = reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): a function's, by its name
    }
    return is_here;
  });
  if (found == nullptr) {
    throw_damaged(from, "it names a function that is not in this program", 0);
  }
  return found;
}

}  // namespace tactus::detail
