// SPDX-License-Identifier: Apache-2.0
#include "thrown.hpp"

#include "board.hpp"

#include <any>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <typeinfo>
#include <variant>

namespace ts = tactus;

namespace oracle {
namespace {

// Does not know how to cross places: a type, a text and the place where it was thrown are all that is left of it.
class stranger_thrown : public std::exception {
public:
  stranger_thrown(std::uint64_t hash, unsigned place)
      : text_("thrown at place " + std::to_string(place) + " #" + std::to_string(hash)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::string text_;
};

// A type of the standard library or of Tactus. The text of its exceptions is its name and a hash, where it has one.
struct known {
  const char* name;
  const std::type_info* type;
  std::exception_ptr (*make)(const std::string& text);
};

template <class E>
known of(const char* name) {
  return {name, &typeid(E), [](const std::string& text) {
            if constexpr (std::is_constructible_v<E, const std::string&>)
              return std::make_exception_ptr(E(text));
            else
              return std::make_exception_ptr(E());
          }};
}

const auto& types_with_text() {
  static const std::array all{
      of<std::logic_error>("logic_error"),         of<std::invalid_argument>("invalid_argument"),
      of<std::domain_error>("domain_error"),       of<std::length_error>("length_error"),
      of<std::out_of_range>("out_of_range"),       of<std::runtime_error>("runtime_error"),
      of<std::range_error>("range_error"),         of<std::overflow_error>("overflow_error"),
      of<std::underflow_error>("underflow_error"), of<ts::error>("tactus_error"),
      of<ts::config_error>("config_error"),        of<ts::resource_error>("resource_error")};
  return all;
}

const auto& types_without_text() {
  static const std::array all{of<std::exception>("exception"),
                              of<std::bad_alloc>("bad_alloc"),
                              of<std::bad_array_new_length>("bad_array_new_length"),
                              of<std::bad_cast>("bad_cast"),
                              of<std::bad_typeid>("bad_typeid"),
                              of<std::bad_exception>("bad_exception"),
                              of<std::bad_optional_access>("bad_optional_access"),
                              of<std::bad_variant_access>("bad_variant_access"),
                              of<std::bad_any_cast>("bad_any_cast"),
                              of<std::bad_function_call>("bad_function_call"),
                              of<std::bad_weak_ptr>("bad_weak_ptr")};
  static_assert(all.size() == k_textless_types);
  return all;
}

std::error_code code_of(std::uint64_t hash) {
  return hash % 2 == 0 ? std::make_error_code(std::errc::argument_out_of_domain)
                       : std::error_code(static_cast<int>(hash % 100), std::system_category());
}

std::uint64_t number_in(const char* text) {
  const char* const number = std::strchr(text, '#');
  return number == nullptr ? k_foreign_hash : std::strtoull(number + 1, nullptr, 10);
}

// In the sentence of a stranger, at whatever place that is told.
std::uint64_t hash_of_stranger(const char* text, unsigned place, bool may_be_told) {
  const std::uint64_t hash = number_in(text);
  return may_be_told && text == "thrown at place " + std::to_string(place) + " #" + std::to_string(hash)
             ? hash
             : k_foreign_hash;
}

unsigned place_now() {
  try {
    return static_cast<unsigned>(ts::here().id());
  } catch (const ts::usage_error&) {  // outside of tasks: an exception that has left run()
    return static_cast<unsigned>(ranks().here);
  }
}

// What has come as a remote_exception was no other type than that of strangers, and has left the place that it names.
std::uint64_t hash_of_remote(const ts::remote_exception& e) {
  const bool is_stranger = e.type_name().ends_with("::stranger_thrown");
  return hash_of_stranger(e.what(), static_cast<unsigned>(e.place().id()), is_stranger);
}

std::uint64_t hash_of_known(const std::exception& e) {
  for (const known& each : types_with_text()) {
    if (typeid(e) != *each.type) continue;
    const std::uint64_t hash = number_in(e.what());
    return e.what() == each.name + (" #" + std::to_string(hash)) ? hash : k_foreign_hash;
  }
  std::uint64_t number = 0;
  for (const known& each : types_without_text()) {
    if (typeid(e) == *each.type) return k_textless_hash + number;
    ++number;
  }
  return k_foreign_hash;
}

std::uint64_t hash_of_system(const std::system_error& e) {
  const std::uint64_t hash = number_in(e.what());
  const std::error_code code = code_of(hash);
  return e.code() == code && e.what() == "system_error #" + std::to_string(hash) + ": " + code.message()
             ? hash
             : k_foreign_hash;
}

std::uint64_t told(std::uint64_t hash, const std::exception& e) {
  if (hash == k_foreign_hash) std::fprintf(stderr, "an exception that is in no program: %s\n", e.what());
  return hash;
}

}  // namespace

std::uint64_t hash_of_current() {
  try {
    throw;
  } catch (const thrown& t) {
    return t.hash();
  } catch (const odd_thrown& t) {
    return t.hash;
  } catch (const ts::multiple_exceptions& m) {
    std::uint64_t sum = 0;
    for (const std::exception_ptr& e : m.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (...) {
        sum += hash_of_current();
      }
    }
    return multiple_hash(sum, m.exceptions().size());
  } catch (const ts::deadlock_error&) {
    return k_deadlock_hash;
  } catch (const ts::broken_promise&) {
    return k_broken_hash;
  } catch (const ts::usage_error&) {
    return k_usage_hash;
  } catch (const ts::clock_use_error&) {
    return k_clock_use_hash;
  } catch (const ts::phaser_use_error&) {
    return k_phaser_use_hash;
  } catch (const ts::atomic_use_error&) {
    return k_atomic_use_hash;
  } catch (const ts::place_error&) {
    return k_place_hash;
  } catch (const ts::remote_exception& e) {
    return told(hash_of_remote(e), e);
  } catch (const stranger_thrown& e) {  // which it is at its own place only
    return told(hash_of_stranger(e.what(), place_now(), true), e);
  } catch (const std::system_error& e) {
    return told(hash_of_system(e), e);
  } catch (const std::exception& e) {  // if none of a program: what comes is the machine's, and explains what follows
    return told(hash_of_known(e), e);
  } catch (...) {
    return k_foreign_hash;
  }
}

std::exception_ptr exception_of(const program& p, statement_id at, unsigned place) {
  const std::uint64_t hash = p.hash_of_leaf(at);
  switch (p.thrown_by(at)) {
    case thrown_type::registered: break;
    case thrown_type::odd: return std::make_exception_ptr(odd_thrown{hash});
    case thrown_type::stranger: return std::make_exception_ptr(stranger_thrown(hash, place));
    case thrown_type::with_text: {
      const known& type = types_with_text()[hash % types_with_text().size()];
      return type.make(type.name + (" #" + std::to_string(hash)));
    }
    case thrown_type::with_code:
      return std::make_exception_ptr(std::system_error(code_of(hash), "system_error #" + std::to_string(hash)));
    case thrown_type::without_text: return types_without_text()[hash - k_textless_hash].make({});
  }
  return std::make_exception_ptr(thrown(hash));
}

}  // namespace oracle
