// SPDX-License-Identifier: Apache-2.0
// What lies in the storage of a message: the header, and behind that a pointer, to what depends on its kind.
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/message.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace tactus::detail {

[[nodiscard]] inline int home_of(std::uint64_t key) noexcept { return static_cast<int>(key >> k_serial_bits); }

inline void put_header(queued_task* m, message_header h) noexcept {
  ::new (static_cast<void*>(m->storage)) message_header(h);
}

/// A part that was cut; of a reply, its caller; the frame of a message that is bytes.
template <class T>
[[nodiscard]] T*& pointer_in(queued_task* m) noexcept {
  return *std::launder(reinterpret_cast<T**>(m->storage + sizeof(message_header)));
}
template <class T>
void put_pointer(queued_task* m, T* p) noexcept {
  ::new (static_cast<void*>(m->storage + sizeof(message_header))) T*(p);
}

/// As how many messages it counts: each task of a train is one.
[[nodiscard]] inline std::uint64_t messages_in(const message_header& h) noexcept { return h.several ? h.key : 1; }

/// What a frame of so many bytes takes of the room at its place: of a very long one, what a header can say.
[[nodiscard]] inline std::uint32_t room_of(std::size_t bytes) noexcept {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  return bytes < most ? static_cast<std::uint32_t>(bytes) : most;
}

/// Makes m a message of a frame that place `from` sends.
inline void put_frame(queued_task* m, message_kind kind, int from, frame_ptr frame) noexcept {
  message_header h(kind, from);
  h.framed = true;
  h.bytes = room_of(bytes_in_all(*frame));
  put_header(m, h);
  put_pointer(m, frame.release());
}

/// The same of a frame of several tasks.
inline void mark_as_train(queued_task* m, std::uint64_t tasks) noexcept {
  message_header& h = header_of(m);
  h.several = true;
  h.key = tasks;
}

[[nodiscard]] inline frame_ptr take_frame(queued_task* m) noexcept { return frame_ptr(pointer_in<frame_block>(m)); }

}  // namespace tactus::detail
