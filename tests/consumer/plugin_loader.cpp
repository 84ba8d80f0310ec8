// SPDX-License-Identifier: Apache-2.0
// A program without Tactus: a plugin that uses it comes and goes. What a run leaves behind, such as the handler of SIGUSR1, still works.
#include <csignal>
#include <iostream>

#include <dlfcn.h>

int main() {
  void* const plugin = ::dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::cerr << ::dlerror() << '\n';  // of the C++ library, which else would come with the plugin and keep it
    return 2;
  }
  auto* const fibonacci = reinterpret_cast<int (*)(int)>(::dlsym(plugin, "_Z16plugin_fibonaccii"));
  if (fibonacci == nullptr || fibonacci(10) != 55) {
    return 3;
  }
  ::dlclose(plugin);
  std::raise(SIGUSR1);
  return 0;
}
