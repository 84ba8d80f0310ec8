#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one thing after the other from a small reference and asks tools/check_reference (the first argument) for it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

HEADER = """
#include <string>
#define TACTUS_TWICE(x) \\
  x x
namespace tactus {
class later;  // class commented;
template <class T, class Op = int>
class queue {
  void push(int n = {});
};
namespace detail {
struct verb { void operator()() const; };
}  // namespace detail
/// Spawns.
#ifdef DOXYGEN
void only_for_doxygen();
#else
inline constexpr detail::verb spawn{};
#endif
enum class mode : char { eager, lazy };
using numbers = int[4];
[[nodiscard]] std::string text_of(const queue<int>& q, const char* end = "; class quoted {");
inline constexpr int queue<int>::most = 3;
inline queue<int>::iterator queue<int>::end() const noexcept { return {}; }
}  // namespace tactus
namespace tactus::detail {
class hidden;
}
"""
NAMES = ("later", "queue", "spawn", "mode", "numbers", "text_of")

TOLD = ("<briefdescription><para>What the name means to programs.</para></briefdescription><detaileddescription>"
        "<para><simplesect kind='par'><title>Errors</title><para>none.</para></simplesect></para>"
        "<para><programlisting><codeline>use(it);</codeline></programlisting></para></detaileddescription>")


def member(name, told=TOLD, kind="function"):
    return (f"<memberdef kind='{kind}' id='group__all_1{name}'><name>{name}</name>"
            f"<qualifiedname>tactus::{name}</qualifiedname>{told}</memberdef>")


def compound(kind, name, content, id=None, file="somewhere"):
    return (f"<doxygen><compounddef kind='{kind}' id='{id or name}'><compoundname>{name}</compoundname>"
            f"{content}<location file='{file}'/></compounddef></doxygen>")


def files(told=TOLD, spawn=None, topic="<innerclass refid='queue'/>"):
    """A tree with a reference; `told` of a class, `spawn` instead of what there is of the function."""
    group = "".join(member(name) for name in NAMES if name not in ("spawn", "queue"))
    group += member("spawn") if spawn is None else spawn
    return {
        "include/tactus/queue.hpp": HEADER,
        "docs/tutorial.md": "", "docs/launching.md": "", "docs/coming-from/there.md": "", "examples/one.cpp": "",
        "build/docs/xml/group__all.xml": compound("group", "all", group + topic, id="group__all"),
        "build/docs/xml/queue.xml": compound("class", "tactus::queue", told, id="queue"),
        "build/docs/xml/tutorial.xml": compound("page", "tutorial", "", file="/tree/docs/tutorial.md"),
        "build/docs/xml/launching.xml": compound("page", "launching", "", file="/tree/docs/launching.md"),
        "build/docs/xml/there.xml": compound("page", "there", "", file="/tree/docs/coming-from/there.md"),
        "build/docs/xml/one.xml": compound("example", "one.cpp", ""),
        "build/docs/html/group__all.html": "".join(f'<a id="{name}"></a>' for name in NAMES),
        "build/docs/html/queue.html": "",
    }


class CheckReference(unittest.TestCase):
    def check(self, tree):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)

    def assert_found(self, tree, *words):
        result = self.check(tree)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 2, result.stdout)
        for word in words:
            self.assertIn(word, lines[0])

    def without(self, file):
        return {name: text for name, text in files().items() if name != file}

    def test_a_reference_that_tells_everything_passes(self):
        result = self.check(files())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "6 of 6 public names are complete; 4 pages and examples\n")

    def test_a_name_that_doxygen_drops_is_found(self):
        self.assert_found(files(spawn=""), "tactus/queue.hpp", "spawn", "entry")

    def test_a_name_without_a_meaning_is_found(self):
        told = TOLD.replace("What the name means to programs.", "See below.")
        self.assert_found(files(told=told), "queue", "meaning")
        self.assert_found(files(spawn=member("spawn", told)), "spawn", "meaning")

    def test_headings_and_code_are_no_meaning(self):
        told = TOLD.replace("What the name means to programs.", "").replace("none.", "one of these five or six")
        self.assert_found(files(told=told), "queue", "meaning")

    def test_a_name_without_errors_is_found(self):
        self.assert_found(files(told=TOLD.replace("<title>Errors", "<title>Cost")), "queue", "errors")
        self.assert_found(files(told=TOLD.replace("none.", "")), "queue", "errors")

    def test_an_error_may_say_who_throws_it(self):
        self.assertEqual(self.check(files(told=TOLD.replace("Errors", "Thrown"))).returncode, 0)

    def test_a_name_without_an_example_is_found(self):
        self.assert_found(files(spawn=member("spawn", TOLD.replace("programlisting", "verbatim"))), "spawn", "example")

    def test_of_overloaded_functions_one_has_to_tell_all(self):
        short = member("spawn", "").replace("1spawn", "1later")
        self.assertEqual(self.check(files(spawn=short + member("spawn"))).returncode, 0)
        self.assertEqual(self.check(files(spawn=short)).returncode, 1)

    def test_a_name_without_a_topic_is_found(self):
        self.assert_found(files(topic=""), "queue", "topic")

    def test_a_page_that_is_not_there_is_found(self):
        self.assert_found(self.without("build/docs/html/queue.html"), "queue", "page")
        tree = files()
        tree["build/docs/html/group__all.html"] = tree["build/docs/html/group__all.html"].replace('"spawn"', '"gone"')
        self.assert_found(tree, "spawn", "page")

    def test_what_is_not_for_users_is_found(self):
        tree = files()
        tree["build/docs/xml/detail.xml"] = compound("class", "tactus::detail::hidden", "")
        self.assert_found(tree, "tactus::detail::hidden", "not for users")

    def test_a_tutorial_or_example_without_a_page_is_found(self):
        self.assert_found(self.without("build/docs/xml/tutorial.xml"), "docs/tutorial.md")
        self.assert_found(self.without("build/docs/xml/launching.xml"), "docs/launching.md")
        self.assert_found(self.without("build/docs/xml/there.xml"), "docs/coming-from/there.md")
        self.assert_found(self.without("build/docs/xml/one.xml"), "one.cpp")

    def test_no_reference_at_all_is_no_success(self):
        tree = {name: text for name, text in files().items() if not name.startswith("build")}
        self.assertEqual(self.check(tree).returncode, 1)


if __name__ == "__main__":
    unittest.main()
