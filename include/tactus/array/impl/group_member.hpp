// SPDX-License-Identifier: Apache-2.0
// Arrays of a group as its exchanges see them.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/box.hpp>
#include <tactus/array/dist_array_ref.hpp>
#include <tactus/array/impl/array_access.hpp>
#include <tactus/array/impl/array_cells.hpp>
#include <tactus/array/impl/array_part.hpp>
#include <tactus/array/impl/exchange.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/impl/place_objects.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tactus::detail {

/// What one place has of an array, for a group. It is looked for at each use: the array may have ended, or have other parts since move_to().
class group_member {
public:
  group_member() = default;
  group_member(const group_member&) = delete;
  group_member& operator=(const group_member&) = delete;
  virtual ~group_member() = default;

  /// usage_error: it has gone.
  virtual void check_there(const char* call) const = 0;

  /// usage_error: it has gone, or is being exchanged; in a program with TACTUS_CHECKED, what that is told of before a send.
  virtual void check_before_send(const char* call) const = 0;

  /// Before the group's exchange is open.
  virtual void opens(ghost_source promised) const = 0;

  /// After that: what sends has thrown.
  virtual void has_not_opened() const = 0;

  /// It is part of the group's exchange, which is open. `text`, the group's, says which it is.
  virtual void set_part_of(place_object_name group, const exchange& its, const std::string& text) const = 0;

  /// After that has been closed. In a program with TACTUS_CHECKED, what that is told of then.
  virtual void check_after_wait(const char* call) const = 0;

  /// Whether it is that array.
  [[nodiscard]] virtual bool is_of(place_object_name array) const noexcept = 0;

  /// Null: it has no ghosts here.
  [[nodiscard]] virtual exchange_cells* cells() const noexcept = 0;

  /// Whom it has ghosts of.
  [[nodiscard]] virtual std::vector<int> places() const = 0;
};

template <std::size_t N>
class group_member_of_rank : public group_member {
public:
  /// Whether that place brings ghosts in the box.
  [[nodiscard]] virtual bool brings(int from, const box<N>& cells) const = 0;

  /// The ghosts that it brings.
  [[nodiscard]] virtual std::vector<box<N>> boxes_from(int from) const = 0;
};

template <class T, std::size_t N>
class group_member_array final : public group_member_of_rank<N> {
public:
  /// usage_error: it has gone.
  explicit group_member_array(const dist_array_ref<T, N>& a) : array_(a) {
    const array_part<T, N>& p = part("ghost_group");
    if (p.forward() != nullptr) {
      // By put, whatever members do by themselves: all goes in one message to each neighbour.
      cells_ = std::make_unique<array_cells<T, N>>(p.blocks(), p.blocks(), p.put_plan());
    }
  }

  void check_there(const char* call) const override { static_cast<void>(part(call)); }

  void check_before_send(const char* call) const override {
    const array_part<T, N>& p = part(call);
    if (cells_ != nullptr) {
      p.forward()->check_closed(call);
      p.backward()->check_closed(call);
      p.look_before_send(call);
    } else {
      p.idle().check_closed(call);
    }
  }
  void opens(ghost_source promised) const override {
    if (cells_ != nullptr) {
      part("send_ghosts").note_open(promised, cells_->plan());
    }
  }
  void has_not_opened() const override {
    if (cells_ != nullptr) {
      part("send_ghosts").note_not_open(cells_->plan());
    }
  }
  void set_part_of(place_object_name group, const exchange& its, const std::string& text) const override {
    array_part<T, N>& p = part("send_ghosts");
    if (cells_ != nullptr) {
      p.forward()->set_part_of(group, its);
      p.backward()->set_part_of(group, its);
    } else {
      p.idle().set_part_of(group, its, text);
    }
  }
  void check_after_wait(const char* call) const override {
    if (cells_ != nullptr) {
      part(call).check_after_wait(call, cells_->plan());
    }
  }

  [[nodiscard]] exchange_cells* cells() const noexcept override { return cells_.get(); }
  [[nodiscard]] std::vector<int> places() const override {
    return cells_ == nullptr ? std::vector<int>() : cells_->places();
  }

  [[nodiscard]] bool brings(int from, const box<N>& cells) const override {
    if (cells_ == nullptr) {
      return false;
    }
    const auto& plan = cells_->plan();
    return std::any_of(plan.begin(), plan.end(), [&](const neighbour_patches<N>& n) {
      return n.place == from &&
             std::any_of(n.in.begin(), n.in.end(), [&](const patch<N>& p) { return !(p.cells & cells).empty(); });
    });
  }

  [[nodiscard]] std::vector<box<N>> boxes_from(int from) const override {
    std::vector<box<N>> all;
    if (cells_ != nullptr) {
      for (const neighbour_patches<N>& n : cells_->plan()) {
        if (n.place == from) {
          for (const patch<N>& p : n.in) {
            all.push_back(p.cells);
          }
        }
      }
    }
    return all;
  }

  [[nodiscard]] bool is_of(place_object_name array) const noexcept override {
    return array_access<T, N>::name(array_) == array;
  }

private:
  [[nodiscard]] array_part<T, N>& part(const char* call) const { return array_access<T, N>::part(array_, call); }

  dist_array_ref<T, N> array_;
  std::unique_ptr<array_cells<T, N>> cells_;  // of blocks that are there while the part is
};

}  // namespace tactus::detail
