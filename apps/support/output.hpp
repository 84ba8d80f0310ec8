// SPDX-License-Identifier: Apache-2.0
// What a program leaves behind: what it says on stderr, what it prints, and files.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace apps {

/// To stderr, as much of it as can be written: nobody's work ends because nobody can read of it.
void tell(std::string_view text) noexcept;

/// Tells what is wrong, with the name of the program before it.
void complain(std::string_view program, std::string_view what) noexcept;

/// Throws std::runtime_error unless all that was printed has got to where stdout leads.
void finish_printing();

/// A file that is there as a whole or as it was before: what is written goes into PATH.part, which gets the name at the end. What is no
/// ordinary file, a pipe or a device, is written into directly. Errors: std::runtime_error, which names the file.
class output_file {
public:
  /// \param what "the results", for errors
  output_file(std::string path, std::string what);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();  ///< without finish() before: as if nothing had been written

  void write(std::string_view text);

  /// For what writes into a stream by itself.
  [[nodiscard]] std::FILE* stream() noexcept { return file_; }

  void finish();

private:
  [[nodiscard]] bool is_apart() const noexcept { return part_ != target_; }
  [[noreturn]] void fail(int reason) const;

  std::string path_;  // as the user calls it
  std::string what_;
  std::string target_;  // what it stands for: a link stays one
  std::string part_;    // the target itself, if it is no ordinary file
  std::FILE* file_;
};

}  // namespace apps
