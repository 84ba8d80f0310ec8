#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks tools/check_packages (the first argument) about records of what was used on machines with few packages, and has
programs recorded by tools/used_files/recorder.cpp, which the compiler (the second argument) builds."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()
COMPILER = sys.argv.pop(1)

# Packages: what else dpkg knows of them, and their files.
PACKAGES = {
    "shell": ("Essential: yes\nPre-Depends: loader\n", ["/bin/shell"]),
    "loader": ("", ["/lib/ld.so"]),
    "apt": ("", ["/usr/bin/apt-get"]),
    "compiler": ("Depends: compiler-12 (>= 12.2), headers:any | other-headers, make-tool\nRecommends: manual\n", []),
    "compiler-12": ("Pre-Depends: linker\n", ["/usr/bin/compiler-12"]),
    "linker": ("", ["/usr/bin/linker"]),
    "headers": ("", ["/usr/include/headers/a.h"]),
    "other-headers": ("", ["/usr/include/other/a.h"]),
    "one-make": ("Provides: make-tool (= 4)\n", ["/usr/bin/one-make"]),
    "manual": ("", ["/usr/share/manual"]),
    "extra": ("", ["/usr/bin/extra", "/usr/include/extra.h", "/usr/lib/libextra.so", "/usr/include/a[1].h"]),
    "extra-too": ("", ["/usr/bin/extra-too", "/usr/include/extra.h"]),
    "lasting": ("Depends: gone | extra\n", ["/usr/bin/lasting"]),
}


@unittest.skipUnless(shutil.which("dpkg-query"), "only where there is dpkg")
class OnAMachine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.tree = self.folder / "tree"
        self.machine = self.folder / "machine"  # outside of the tree and of the folder of temporary files
        for place in (self.tree / "tools", self.machine, self.folder / "temporary", self.folder / "dpkg" / "info"):
            place.mkdir(parents=True)
        self.script = shutil.copy(SCRIPT, self.tree / "tools")
        self.install(PACKAGES)

    def install(self, packages):
        database = self.folder / "dpkg"
        state = "Status: install ok installed\n"
        others = "Maintainer: who <who@it.example>\nArchitecture: all\nVersion: 1\nDescription: none\n"
        status = "".join(f"Package: {name}\n{'' if 'Status:' in fields else state}{others}{fields}\n"
                         for name, (fields, _) in packages.items())
        (database / "status").write_text(status, encoding="utf-8")
        (database / "info" / "format").write_text("1\n", encoding="utf-8")
        for name, (_, files) in packages.items():
            (database / "info" / f"{name}.list").write_text("\n".join(["/.", *files, ""]), encoding="utf-8")

    def check(self, lines, *declared):
        record = self.folder / "record"
        record.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
        surroundings = {**os.environ, "DPKG_ADMINDIR": str(self.folder / "dpkg"),
                        "TMPDIR": str(self.folder / "temporary")}
        return subprocess.run([sys.executable, "-B", self.script, record, *declared], capture_output=True, text=True,
                              env=surroundings, check=False)

    def assert_passes(self, lines, *declared):
        result = self.check(lines, *declared)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stdout + result.stderr)

    def assert_found(self, lines, declared, *words):
        result = self.check(lines, *declared)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
        for word in words:
            self.assertIn(word, result.stdout)


def reads(file, program="/usr/bin/compiler-12"):
    return [("open", program, file)]


def runs(file):
    return [("run", file, file)]


class CheckPackages(OnAMachine):
    def test_a_file_of_a_declared_package_passes(self):
        self.assert_passes(runs("/usr/bin/extra"), "extra")

    def test_a_program_of_another_package_is_found(self):
        self.assert_found(runs("/usr/bin/extra"), ["compiler"], "package extra", "/usr/bin/extra")

    def test_a_header_of_another_package_is_found_with_who_reads_it(self):
        self.assert_found(reads("/usr/share/manual"), ["headers"],
                          "package manual", "/usr/share/manual (by /usr/bin/compiler-12)")

    def test_who_reads_a_script_of_ours_counts(self):
        self.assert_found([("run", "/usr/bin/extra", self.tree / "script")], ["compiler"],
                          "package extra", "/usr/bin/extra")

    def test_files_of_dependencies_pass_however_deep(self):
        self.assert_passes(runs("/usr/bin/compiler-12") + runs("/usr/bin/linker"), "compiler")

    def test_a_recommended_package_is_not_declared(self):
        self.assert_found(reads("/usr/share/manual"), ["compiler"], "package manual")

    def test_of_alternatives_the_first_is_declared(self):
        self.assert_passes(reads("/usr/include/headers/a.h"), "compiler")
        self.assert_found(reads("/usr/include/other/a.h"), ["compiler"], "package other-headers")

    def test_of_alternatives_the_next_is_declared_where_the_first_is_not_there(self):
        self.assert_passes(runs("/usr/bin/extra"), "lasting")

    def test_who_provides_a_virtual_package_is_declared(self):
        self.assert_passes(runs("/usr/bin/one-make"), "compiler")

    def test_essential_packages_what_they_need_and_apt_are_declared(self):
        self.assert_passes(runs("/bin/shell") + runs("/lib/ld.so") + runs("/usr/bin/apt-get"), "extra")

    def test_a_file_of_several_packages_needs_one_of_them(self):
        self.assert_passes(reads("/usr/include/extra.h"), "extra-too")
        self.assert_found(reads("/usr/include/extra.h"), ["headers"], "package extra or extra-too")

    def test_a_path_through_usr_is_that_of_the_package_without(self):
        self.install({**PACKAGES, "early": ("", ["/lib/early.so"])})
        self.assert_passes(reads("/usr/lib/early.so"), "early")
        self.assert_found(reads("/usr/lib/early.so"), ["extra"], "package early")

    def test_a_name_is_no_pattern(self):
        self.assert_passes(reads("/usr/include/a[1].h"), "extra")

    def test_a_path_is_compared_without_its_detours(self):
        self.assert_passes(reads("/usr/lib/../include/headers/a.h"), "compiler")

    def test_the_link_counts_and_what_it_leads_to(self):
        link, target = self.machine / "link", self.machine / "target"
        link.symlink_to(target)
        self.install({**PACKAGES, "of-link": ("", [str(link)]), "of-target": ("", [str(target)])})
        self.assert_passes(runs(link), "of-link", "of-target")
        self.assert_found(runs(link), ["of-link"], "package of-target")
        self.assert_found(runs(link), ["of-target"], "package of-link")

    def test_a_link_of_no_package_counts_as_what_it_leads_to(self):
        link, target = self.machine / "link", self.machine / "target"
        link.symlink_to("target")
        self.install({**PACKAGES, "of-target": ("", [str(target)])})
        self.assert_passes(runs(link), "of-target")
        self.assert_found(runs(link), ["extra"], "package of-target")

    def test_a_file_of_no_package_is_found(self):
        self.assert_found(runs("/opt/tool"), ["extra"], "no package: /opt/tool")

    def test_files_in_a_folder_that_is_named_pass(self):
        self.assert_passes(runs("/opt/tool") + runs("/usr/bin/extra"), "--beside", "/opt", "extra")
        self.assert_found(runs("/optional/tool"), ["--beside", "/opt", "extra"], "no package")

    def test_a_file_in_usr_local_stands_in_for_that_of_a_declared_package(self):
        self.assert_passes(reads("/usr/local/include/headers/a.h"), "compiler")
        self.assert_found(reads("/usr/local/include/headers/a.h"), ["extra"],
                          "no package: /usr/local/include/headers/a.h")

    def test_files_of_the_tree_and_temporary_ones_pass(self):
        own = [self.tree / "tests" / "a.hpp", self.folder / "temporary" / "a.o", "/proc/cpuinfo", "/dev/null",
               "/etc/settings"]
        self.assert_passes([line for file in own for line in reads(file)] + runs("/usr/bin/extra"), "extra")

    def test_a_library_that_a_program_of_ours_loads_is_found(self):
        self.assert_found([("load", self.tree / "build" / "test", "/usr/lib/libextra.so")], ["compiler"],
                          "package extra")

    def test_libraries_of_programs_of_packages_are_theirs(self):
        lines = [("load", "/usr/bin/linker", "/usr/lib/libextra.so")]
        self.assert_passes(lines + runs("/usr/bin/linker"), "compiler")

    def test_of_what_cmake_reads_the_descriptions_of_packages_count(self):
        self.install({**PACKAGES, "described": ("", ["/usr/lib/cmake/a/a-config.cmake", "/usr/bin/a"])})
        self.assert_passes(reads("/usr/bin/a", "/usr/bin/cmake") + runs("/usr/bin/linker"), "compiler")
        self.assert_found(reads("/usr/lib/cmake/a/a-config.cmake", "/usr/bin/cmake"), ["compiler"],
                          "package described")

    def test_headers_that_ninja_knows_are_found(self):
        build = self.folder / "temporary" / "build"
        build.mkdir()
        (build / "build.ninja").write_text(
            "rule compile\n  command = echo '$out: /usr/include/extra.h ../a.hpp' > d && touch $out\n"
            "  depfile = d\n  deps = gcc\nbuild a.o: compile\n", encoding="utf-8")
        (build.parent / "a.hpp").touch()
        subprocess.run(["ninja", "-C", build], capture_output=True, check=True)
        self.assert_found([("build", "/usr/bin/linker", build)], ["compiler"],
                          "/usr/include/extra.h (by the build in ")

    def test_headers_of_custom_commands_are_found(self):
        rules = self.folder / "temporary" / "build" / "CMakeFiles" / "d"
        rules.mkdir(parents=True)
        (rules / "0123.d").write_text("a: \\\n /usr/include/headers/a.h \\\n  /usr/include/extra.h ../a.hpp\n",
                                      encoding="utf-8")
        self.assert_found([("build", "/usr/bin/linker", rules.parent.parent)], ["compiler"],
                          "/usr/include/extra.h (by the build in ")

    def test_a_record_of_nothing_is_an_error(self):
        result = self.check([], "extra")
        self.assertEqual(result.returncode, 2)
        self.assertIn("names nothing", result.stderr)

    def test_packages_of_other_states_than_installed_are_not_there(self):
        self.install({**PACKAGES, "gone": ("Status: deinstall ok config-files\n", [])})
        self.assert_passes(runs("/usr/bin/extra"), "lasting")


class Recorder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        cls.library = cls.folder / "recorder.so"
        subprocess.run([COMPILER, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
                        "-Werror", "-shared", "-fPIC", "-fno-exceptions", "-fno-rtti", "-nodefaultlibs", "-o", cls.library,
                        SCRIPT.parent / "used_files" / "recorder.cpp", "-lc"], check=True)

    def lines(self, *command):
        record = self.folder / "record"
        record.unlink(missing_ok=True)
        surroundings = {**os.environ, "LD_PRELOAD": str(self.library), "DEV_USED_FILES": str(record)}
        subprocess.run(list(map(str, command)), env=surroundings, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        return [line.split("\t") for line in record.read_text(encoding="utf-8").splitlines()]

    def files(self, what, *command):
        return {line[2] for line in self.lines(*command) if line[0] == what}

    def compiled(self, name, source, *options):
        (self.folder / f"{name}.cpp").write_text(source, encoding="utf-8")
        return ["g++", self.folder / f"{name}.cpp", "-o", self.folder / name, *options]

    def test_a_program_is_named_as_it_was_called_and_as_it_is(self):
        shell = shutil.which("sh")
        self.assertIn(["run", os.path.realpath(shell), shell], self.lines(shell, "-c", ":"))

    def test_programs_that_programs_call_are_named(self):
        self.assertIn(shutil.which("true"), self.files("run", "sh", "-c", "env true; exit 0"))

    def test_programs_that_python_calls_are_named(self):
        code = "import subprocess; subprocess.run(['true'], check=True)"
        self.assertIn(shutil.which("true"), self.files("run", sys.executable, "-c", code))

    def test_a_program_whose_files_may_not_get_longer_goes_on(self):
        found = self.files("run", "sh", "-c", f"ulimit -f 0; {shutil.which('true')}; exec {shutil.which('env')} true")
        self.assertIn(os.path.realpath(shutil.which("sh")), {os.path.realpath(file) for file in found})  # from before the limit

    def test_a_script_is_named_and_who_reads_it(self):
        script = self.folder / "script"
        script.write_text("#!/usr/bin/env sh\nexit 0\n", encoding="utf-8")
        script.chmod(0o755)
        found = self.files("run", "sh", "-c", "./script; exit $?")
        self.assertLessEqual({str(self.folder / "./script"), shutil.which("sh")}, {os.path.normpath(file) for file in found})

    def test_a_static_program_that_the_shell_calls_is_named(self):
        subprocess.run(list(map(str, self.compiled("static_one", "int main() {}\n", "-static"))), check=True)
        found = self.files("run", "bash", "-c", f"{self.folder}/static_one; exit 0")
        self.assertIn(str(self.folder / "static_one"), found)

    def test_a_program_may_call_another_on_a_stack_of_two_pages(self):
        subprocess.run(list(map(str, self.compiled("two_pages", """
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int call(void* name) {
  char* arguments[] = {static_cast<char*>(name), nullptr};
  return execv(arguments[0], arguments);
}

int main(int, char** arguments) {
  const long page = sysconf(_SC_PAGESIZE);
  auto* below = static_cast<char*>(mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(below + page, 2 * page, PROT_READ | PROT_WRITE);
  int status = 1;
  waitpid(clone(call, below + 3 * page, SIGCHLD, arguments[1]), &status, 0);
  return status != 0;
}
"""))), check=True)
        true = shutil.which("true")
        self.assertIn(true, self.files("run", self.folder / "two_pages", true))

    def test_headers_that_the_compiler_reads_are_named_and_not_those_it_asks_for(self):
        (self.folder / "read.h").touch()
        (self.folder / "asked_for.h").touch()
        source = '#include "read.h"\n#if __has_include("asked_for.h")\n#endif\nint main() {}\n'
        found = self.files("open", *self.compiled("includes", source))
        self.assertIn(str(self.folder / "read.h"), found)
        self.assertNotIn(str(self.folder / "asked_for.h"), found)

    def test_libraries_that_the_linker_reads_are_named(self):
        found = self.files("open", *self.compiled("linked", "int main() {}\n", "-lpthread"))
        self.assertTrue(any(os.path.basename(file) == "libpthread.a" for file in found), found)

    def test_libraries_that_a_program_of_ours_loads_are_named(self):
        source = '#include <dlfcn.h>\nint main() { return dlopen("libresolv.so.2", RTLD_NOW) == nullptr; }\n'
        subprocess.run(list(map(str, self.compiled("loader", source))), check=True)
        found = {os.path.basename(file) for file in self.files("load", self.folder / "loader")}
        self.assertLessEqual({"libc.so.6", "libresolv.so.2"}, found)

    def test_the_folder_that_ninja_works_in_is_named(self):
        (self.folder / "build.ninja").write_text("rule nothing\n  command = true\nbuild all: nothing\n",
                                                 encoding="utf-8")
        self.assertEqual(self.files("build", "ninja"), {str(self.folder)})


if __name__ == "__main__":
    unittest.main()
