// SPDX-License-Identifier: Apache-2.0
// The reader of IMSuite's inputs. The first letter of the text chooses the kernel, a to l; the rest is its input.
#include "targets.hpp"
#include "x10/imsuite/text.hpp"

#include <array>
#include <sstream>
#include <string>

namespace fuzz {
namespace {

template <class Input>
void read(const std::string& text) {
  std::istringstream in(text);
  Input input;
  try {
    input = bench::imsuite::read<Input>(in, "input");
  } catch (const bench::imsuite::input_error& refused) {
    require(std::string_view(refused.what()).starts_with("input:"), "an error names the file and the line");
    return;
  }
  std::ostringstream out;
  bench::imsuite::write(out, input);
  std::istringstream written(out.str());
  require(bench::imsuite::read<Input>(written, "written") == input, "what is written is read as the same input");
}

}  // namespace

void imsuite(std::string_view text) {
  using namespace bench::imsuite;
  constexpr std::array k_kernels{read<bf_input>, read<dst_input>, read<kc_input>,  read<dp_input>,
                                 read<hs_input>, read<lcr_input>, read<mis_input>, read<mst_input>,
                                 read<by_input>, read<ds_input>,  read<vc_input>,  read<dr_input>};
  if (!text.empty() && text.front() >= 'a' && text.front() < 'a' + static_cast<int>(k_kernels.size())) {
    k_kernels[static_cast<std::size_t>(text.front() - 'a')](std::string(text.substr(1)));
  }
}

}  // namespace fuzz
