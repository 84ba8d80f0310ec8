// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "resources/timeline/timeline.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_timeline {
public:
  tactus_timeline(const bench::options& o, bench::timeline_problem& p) : problem_(p) {
    ts::config c = bench::config_of(o);
    if (p.kept()) c.trace = file_.string();
    runtime_ = std::make_unique<ts::runtime>(c);
    runtime_->run([] {});
  }

  ~tactus_timeline() {
    runtime_.reset();  // writes the file
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  tactus_timeline(const tactus_timeline&) = delete;
  tactus_timeline& operator=(const tactus_timeline&) = delete;

  void pass() {
    runtime_->run([this] {
      ts::finish([this] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i)
          ts::async(ts::named("work"), [this, i] { problem_.work(i); });
      });
    });
  }

private:
  bench::timeline_problem& problem_;
  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("tactus-bench-timeline." + std::to_string(::getpid()) + ".json");
  std::unique_ptr<ts::runtime> runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::timeline_problem, tactus_timeline>(argc, argv, "timeline", "tactus");
}
