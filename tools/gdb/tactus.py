# SPDX-License-Identifier: Apache-2.0
"""What gdb says of Tactus's tasks, in a program that has stopped and in a core dump: `help tactus` lists the commands.

The library carries this text, and gdb loads it from there (src/scheduler/debugger.cpp). It reads memory only: where
things lie is in a table of the library, so that no type of the library has to be known, and no function is called.
"""
import re
import struct

import gdb
import gdb.FrameDecorator
import gdb.unwinder

TACTUS_ROOT = "tactus_debugger_root"
TACTUS_MOST_ROWS = 200
TACTUS_MOST_FRAMES = 500
TACTUS_MOST_VALUES = 1000  # of one task, in one list
TACTUS_LIBRARY_NAME = re.compile(r"(?:tactus::|tactus_|std::|__)")
TACTUS_LIBRARY_FILE = re.compile(r"/tactus/(?:base|fiber|deque|scheduler|task|sync|trace)/(?:impl/)?\w+\.hpp$")

# Of a saved context: the registers in it, with their offsets, and what to add to its address for the stack pointer, where
# that does not stand in it. A portable context is a ucontext_t.
TACTUS_CONTEXTS = {
    ("i386:x86-64", 0): ({name: 8 * i for i, name in enumerate(("r15", "r14", "r13", "r12", "rbx", "rbp", "rip"))}, 56),
    ("i386:x86-64", 1): ({"r12": 72, "r13": 80, "r14": 88, "r15": 96, "rbp": 120, "rbx": 128, "rsp": 160, "rip": 168},
                         None),
    ("aarch64", 0): ({"x29": 0, "x30": 8, "pc": 8, **{f"x{19 + i}": 16 + 8 * i for i in range(10)}}, 160),
    ("aarch64", 1): ({"sp": 432, "pc": 440, **{f"x{i}": 184 + 8 * i for i in range(19, 31)}}, None),
}
TACTUS_REGISTERS = {"i386:x86-64": ("rsp", "rip", "fs_base"), "aarch64": ("sp", "pc", "tpidr")}


class TactusMemory:
    """What lies where, by the table of the library."""

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        if not self.inferior.threads():
            raise gdb.GdbError("The program is not being run, and there is no core dump.")
        try:
            root = int(gdb.parse_and_eval(f"(unsigned long) &{TACTUS_ROOT}"))
        except gdb.error:
            raise gdb.GdbError(f"There is no symbol {TACTUS_ROOT}: this program has no Tactus in it, or not yet, or it "
                               "was stripped; then `symbol-file` can name the file that it was stripped from.") from None
        fact, self.active_runs, self.this_worker = self.words(root, 3)
        self.facts = {}
        while name := self.bytes(fact, 32).split(b"\0")[0].decode():
            self.facts[name] = self.signed(fact + 32)
            fact += 40

    def bytes(self, address, size):
        return bytes(self.inferior.read_memory(address, size))

    def words(self, address, count):
        return struct.unpack(f"={count}Q", self.bytes(address, 8 * count))

    def word(self, address):
        return self.words(address, 1)[0]

    def signed(self, address):
        return struct.unpack("=q", self.bytes(address, 8))[0]

    def half(self, address):
        return struct.unpack("=I", self.bytes(address, 4))[0]

    def fact(self, name):
        try:
            return self.facts[name]
        except KeyError:
            raise gdb.GdbError(f"The library in this program says nothing of {name}: it is of another version of Tactus "
                               "than this script.") from None

    def at(self, address, member):
        return self.word(address + self.fact(member))

    def vector(self, address, size=8):
        """Where the elements of a std::vector lie."""
        begin, end = self.words(address, 2)
        return range(begin, end, size)

    def pointers(self, address):
        """The elements of a std::vector of pointers."""
        begin, end = self.words(address, 2)
        return self.words(begin, (end - begin) // 8) if end > begin else ()

    def text(self, address):
        """Of a std::string."""
        if self.fact("string.is_libcxx"):
            first = self.bytes(address, 1)[0]
            size, data = (self.word(address + 8), self.word(address + 16)) if first & 1 else (first >> 1, address + 1)
        else:
            data, size = self.words(address, 2)
        return self.bytes(data, min(size, 200)).decode(errors="replace")

    def chain(self, first, member):
        """A list that goes by `member`, cut where it seems to be none."""
        for _ in range(10_000_000):
            if first == 0:
                return
            yield first
            first = self.at(first, member)

    def c_string(self, address):
        text = b""
        while b"\0" not in text:
            text += self.bytes(address + len(text), 1)
        return text[:-1].decode(errors="replace")


class TactusTask:
    """One task, and where it stands."""

    def __init__(self, number, frame, name, state, worker=None, context=None, above=None):
        self.number = number
        self.frame = frame
        self.name = name
        self.state = state
        self.worker = worker  # that runs it
        self.context = context  # saved, if no worker does
        self.above = above  # the task on top of it, on the same stack


class TactusWorker:
    def __init__(self, address, seat, run):
        self.address = address
        self.seat = seat
        self.run = run
        self.thread = None
        self.sleeps = False
        self.queued = 0
        self.task = None


class TactusProgram:
    """All tasks and workers, as they are now."""

    def __init__(self):
        self.memory = TactusMemory()
        self.tasks = []
        self.workers = []
        self.shared = 0
        self.lacks_stacks = False
        self.known = {}  # tasks, by their frames
        memory = self.memory
        runs = memory.pointers(memory.active_runs) if memory.active_runs else ()
        self.places = []
        for number, run in enumerate(runs, 1):
            for place in memory.pointers(run + memory.fact("run_control.places_")):
                self.places.append(place)
                for w in memory.pointers(place + memory.fact("scheduler.workers_")):
                    seat = memory.half(w + memory.fact("worker.seat"))
                    self.workers.append(TactusWorker(w, seat, number if len(runs) > 1 else None))
        self.find_threads()
        for w in self.workers:
            self.add_running(w)
        ready = self.ready()
        for place in self.places:
            self.shared += memory.at(place, "scheduler.shared")
            self.add_waiting(place, ready)
        for continuation, where in ready.items():
            self.add_stopped(continuation, where)

    # ---- workers ----

    def find_threads(self):
        by_address = {w.address: w for w in self.workers}
        without = []
        with TactusHere():
            for thread in sorted(self.memory.inferior.threads(), key=lambda t: t.num):
                thread.switch()
                frame = gdb.newest_frame()
                sp, _, pointer = TACTUS_REGISTERS.get(frame.architecture().name(), (None, None, None))
                try:
                    place = int(frame.read_register(pointer)) + self.memory.this_worker
                    w = by_address.get(self.memory.word(place & (1 << 64) - 1))
                except (ValueError, TypeError, gdb.error):
                    w = None
                if w is not None:
                    w.thread = thread
                elif sp is not None:
                    without.append((thread, int(frame.read_register(sp)) & (1 << 64) - 1))
        # Who runs an atomic block does not show its worker; the frame of its task lies on the stack that it runs on.
        for thread, sp in without:
            for w in self.workers:
                task = self.memory.at(w.address, "worker.task")
                if w.thread is None and task and self.stack_of(sp) == self.stack_of(task) is not None:
                    w.thread = thread

    def name_of(self, w):
        return f"worker {w.seat}" if w.run is None else f"worker {w.seat} of run {w.run}"

    # ---- stacks ----

    def control_block(self, pool, address):
        memory = self.memory
        stride = memory.at(pool, "stack_pool.stride_")
        colours = memory.at(pool, "stack_pool.page_colours_")
        number = address // stride
        free = (number % colours * memory.fact("colour.page_bytes") +
                number // colours % memory.fact("colour.lines") * memory.fact("colour.line_bytes"))
        return (address | stride - 1) + 1 - memory.fact("fiber_stack.size") - free

    def pools(self):
        return [place + self.memory.fact("scheduler.stacks_") for place in self.places]

    def slabs(self, pool):
        """Where each begins, and how many stacks of it were ever used."""
        memory = self.memory
        for slab in memory.vector(pool + memory.fact("stack_pool.slabs_"), memory.fact("slab.size")):
            yield memory.at(slab, "slab.base"), memory.at(slab, "slab.carved")

    def stack_of(self, address):
        """The control block of the stack on which an address lies; None if it lies on none."""
        for pool in self.pools():
            for single in self.memory.pointers(pool + self.memory.fact("stack_pool.singles_")):
                if self.memory.at(single, "fiber_stack.low") <= address < single:
                    return single
            stride = self.memory.at(pool, "stack_pool.stride_")
            for base, carved in self.slabs(pool):
                if base <= address < base + carved * stride:
                    return self.control_block(pool, address)
        return None

    def stacks(self, pool):
        """The control blocks of all that have their memory."""
        memory = self.memory
        yield from memory.pointers(pool + memory.fact("stack_pool.singles_"))
        cold = set(memory.pointers(pool + memory.fact("stack_pool.cold_")))
        stride = memory.at(pool, "stack_pool.stride_")
        for base, carved in self.slabs(pool):
            for stack in range(base, base + carved * stride, stride):
                if stack not in cold:
                    yield self.control_block(pool, stack)

    # ---- tasks ----

    def task_name(self, frame):
        memory = self.memory
        value = memory.at(frame, "task_frame.locals")
        for _ in range(TACTUS_MOST_VALUES):
            if value == 0:
                break
            if memory.at(value, "local_value.key") == memory.fact("task_name.key"):
                return memory.text(value + memory.fact("task_name.text")) or None
            if memory.at(value, "local_value.key") == memory.fact("lent_name.key") % 2**64:  # the body of an at()
                lent = memory.at(value, "lent_name.text")
                return memory.c_string(lent) if lent else None
            value = memory.at(value, "local_value.next")
        return None

    def add(self, frame, state, worker=None, context=None):
        """The task with that frame, and those below it on its stack."""
        above = None
        for _ in range(TACTUS_MOST_VALUES):
            if frame == 0 or frame in self.known:
                return
            task = TactusTask(len(self.tasks) + 1, frame, self.task_name(frame),
                              state if above is None else f"below task {above.number}, on its stack", worker, context, above)
            self.tasks.append(task)
            self.known[frame] = task
            above = task
            frame = self.memory.at(frame, "task_frame.below")

    def add_running(self, w):
        memory = self.memory
        w.sleeps = memory.bytes(w.address + memory.fact("worker.sleeps"), 1) != b"\0"
        frame = memory.at(w.address, "worker.task")
        try:
            self.add(frame, f"runs on {self.name_of(w)}", worker=w)
        except gdb.MemoryError:
            return  # it has just ended
        w.task = self.known.get(frame)

    def add_stopped(self, continuation, state):
        try:
            self.add(self.memory.at(continuation, "continuation.task"), state,
                     context=self.memory.at(continuation, "continuation.context"))
        except gdb.MemoryError:
            pass  # gone on at this very moment

    def ready(self):
        """What has stopped and may go on, with the queue that it is in."""
        memory = self.memory
        found = {}

        def note(continuations, where):
            for continuation in continuations:
                if continuation:
                    found[continuation] = f"ready, {where}"

        for w in self.workers:
            name = self.name_of(w)
            slots = memory.at(w.address, "worker.deque_slots")
            mask = memory.at(w.address, "worker.deque_mask")
            for i in range(memory.signed(w.address + memory.fact("worker.deque_top")),
                           memory.signed(w.address + memory.fact("worker.deque_bottom"))):
                entry = memory.word(slots + 8 * (i & mask))
                if entry & 1:
                    note([entry & ~3], f"in the deque of {name}")
                elif entry:
                    w.queued += 1
            w.queued += memory.at(w.address, "worker.affine")
            note(memory.chain(memory.at(w.address, "worker.yielded"), "continuation.next"), f"has yielded on {name}")
            for begin, end in self.released(w):
                note(memory.words(begin, (end - begin) // 8) if end > begin else (), f"released for {name}")
        for place in self.places:
            note(memory.chain(memory.at(place, "scheduler.sent"), "continuation.next"), "sent from outside")
        return found

    def released(self, w):
        """The ranges of continuations that a barrier has let go on by this worker."""
        memory = self.memory
        yield memory.at(w.address, "worker.run_next"), memory.at(w.address, "worker.run_end")
        claim = memory.at(w.address, "worker.released_claim")
        entries = memory.at(w.address, "worker.released_entries")
        most = memory.fact("released.most")
        yield entries + 8 * (claim >> memory.fact("released.next_shift") & most), entries + 8 * (claim & most)
        for part in memory.chain(memory.at(w.address, "worker.released_more"), "released_range.next"):
            begin = memory.at(part, "released_range.entries")
            yield begin, begin + 8 * memory.at(part, "released_range.count")

    def add_waiting(self, place, ready):
        memory = self.memory
        parked = memory.fact("fiber_stack.parked")
        for stack in self.stacks(place + memory.fact("scheduler.stacks_")):
            try:
                point = memory.word(stack + parked)
            except gdb.MemoryError:
                self.lacks_stacks = True
                continue
            self.lacks_stacks = self.lacks_stacks or memory.at(stack, "fiber_stack.low") == 0
            if point and point not in ready:
                self.add_stopped(point, f"waits for {self.what(point)}")
        for barrier in memory.pointers(place + memory.fact("scheduler.barriers_")):
            for waiter in self.waiters(barrier):
                if waiter and waiter not in ready:
                    self.add_stopped(waiter, f"waits for {self.barrier_text(barrier)}")

    def waiters(self, barrier):
        memory = self.memory
        parity = self.phase(barrier) & 1
        for share in memory.vector(barrier + memory.fact("barrier.shares_"), memory.fact("share.size")):
            waiting = share + memory.fact("share.lists") + parity * memory.fact("waiter_list.size")
            entries = memory.at(waiting, "waiter_list.entries_")
            count = memory.half(waiting + memory.fact("waiter_list.count_"))
            w = memory.at(share, "share.worker")
            if memory.at(w, "worker.waits_on") == waiting:  # some of which it has not handed in
                count = max((memory.at(w, "worker.wait_next") - entries) // 8, 0)
            if count:
                yield from memory.words(entries, count)

    # ---- what is waited for ----

    def phase(self, barrier):
        phase = self.memory.at(barrier, "barrier.phase_")
        shown = self.memory.at(barrier, "barrier.word_") >> self.memory.fact("barrier.phase_shift")
        return phase - (phase - shown & 0xff)

    def barrier_text(self, barrier):
        memory = self.memory
        hook = memory.at(barrier, "barrier.hook_")
        is_phaser = hook and memory.bytes(hook + memory.fact("phase_hook.is_clock"), 1) == b"\0"
        serial = memory.at(barrier, "barrier.key_") & (1 << memory.fact("barrier.serial_bits")) - 1
        return f"{'phaser' if is_phaser else 'clock'} {serial}, phase {self.phase(barrier)}"

    def what(self, point):
        memory = self.memory
        barrier = memory.at(point, "wait_point.at")
        if barrier:
            return self.barrier_text(barrier)
        kind = memory.at(point, "wait_point.kind")
        thing = memory.at(point, "wait_point.object")
        if kind == 0:
            return "its turn"
        what = memory.c_string(memory.at(kind, "wait_kind.what"))
        number_at = memory.signed(kind + memory.fact("wait_kind.number_at"))
        name_at = memory.signed(kind + memory.fact("wait_kind.name_at"))
        name = memory.text(thing + name_at) if name_at >= 0 else ""
        if name:
            return f"{what} of task '{name}'"
        if number_at < 0:
            return what
        number = memory.half(thing + number_at)  # which it has if a report was told it
        return f"{what} {number}" if number else f"{what} at {thing:#x}"


class TactusHere:
    """The thread and frame that the user has selected are so again afterwards."""

    def __enter__(self):
        self.thread = gdb.selected_thread()
        try:
            self.frame = gdb.selected_frame()
        except gdb.error:
            self.frame = None
        try:
            self.begin()
        except BaseException:  # then Python does not call __exit__
            self.__exit__()
            raise
        return self

    def begin(self):
        """What else is selected, in those that are more."""

    def __exit__(self, *exception):
        if self.thread is not None and self.thread.is_valid():
            self.thread.switch()
        if self.frame is not None and self.frame.is_valid():
            self.frame.select()


class TactusUnwinder(gdb.unwinder.Unwinder):
    """While a task is looked at: the caller of the thread's innermost function is where the task has stopped."""

    def __init__(self):
        super().__init__("tactus")
        self.enabled = False
        self.registers = {}
        self.names = ()
        self.innermost = None

    def __call__(self, pending):
        sp, pc = (pending.read_register(name) for name in self.names)
        if (int(sp), int(pc)) != self.innermost:
            return None

        class Here:
            pass

        here = Here()
        here.sp, here.pc = sp, pc
        unwound = pending.create_unwind_info(here)
        for name, value in self.registers.items():
            kind = pending.read_register(name).type
            unwound.add_saved_register(name, gdb.Value(value.to_bytes(8, "little"), kind))
        return unwound


def tactus_without_parameters(name):
    """As gdb shows functions of itself, where the arguments follow."""
    end = name.removesuffix(" const")
    depth = 0
    for i in range(len(end) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(end[i], 0)
        if depth == 0:
            return name if i == len(end) - 1 or end[:i].endswith("operator") else end[:i]
    return name


class TactusFrame(gdb.FrameDecorator.FrameDecorator):
    def function(self):
        function = super().function()
        return tactus_without_parameters(function) if isinstance(function, str) else function


class TactusFilter:
    """Leaves the thread's own frame out of what backtrace shows of a task."""

    def __init__(self, unwinder):
        self.name = "tactus"
        self.priority = 1000
        self.enabled = False
        self.unwinder = unwinder
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        sp = self.unwinder.names[0]
        shown = False
        for decorated in frames:
            shown = shown or int(decorated.inferior_frame().read_register(sp)) != self.unwinder.innermost[0]
            if shown:
                yield TactusFrame(decorated)


TACTUS_UNWINDER = TactusUnwinder()
gdb.unwinder.register_unwinder(None, TACTUS_UNWINDER, replace=True)
TACTUS_FILTER = TactusFilter(TACTUS_UNWINDER)


class TactusStopped(TactusHere):
    """In it, the selected thread seems to be a task that has stopped, which is selected where it called the library."""

    def __init__(self, program, task):
        self.program = program
        self.context = task.context

    def begin(self):
        innermost = gdb.newest_frame()
        machine = innermost.architecture().name()
        memory = self.program.memory
        known = TACTUS_CONTEXTS.get((machine, memory.fact("context.is_ucontext")))
        if known is None:
            raise gdb.GdbError(f"How a task stops is not known here for this processor, {machine}.")
        if self.program.stack_of(self.context) is None:
            raise gdb.GdbError("The task is about to stop or to go on: it has no backtrace yet.")
        offsets, size = known
        names = TACTUS_REGISTERS[machine][:2]
        registers = {name: memory.word(self.context + offset) for name, offset in offsets.items()}
        if size is not None:
            registers[names[0]] = self.context + size
        TACTUS_UNWINDER.registers = registers
        TACTUS_UNWINDER.names = names
        TACTUS_UNWINDER.innermost = tuple(int(innermost.read_register(name)) for name in names)
        self.show(True)
        frame = gdb.newest_frame()
        while frame is not None and int(frame.read_register(names[0])) == TACTUS_UNWINDER.innermost[0]:
            frame = frame.older()
        if frame is not None:
            frame.select()

    def __exit__(self, *exception):
        self.show(False)
        super().__exit__(*exception)

    @staticmethod
    def show(is_shown):
        TACTUS_UNWINDER.enabled = is_shown
        TACTUS_FILTER.enabled = is_shown
        gdb.invalidate_cached_frames()


class TactusRunning(TactusHere):
    """In it, the thread that runs the task is selected."""

    def __init__(self, task):
        self.thread_of_task = task.worker.thread

    def begin(self):
        if self.thread_of_task is None:
            raise gdb.GdbError("No thread is known to run this task.")
        self.thread_of_task.switch()
        gdb.newest_frame().select()


def tactus_look_at(program, task):
    return TactusRunning(task) if task.worker is not None else TactusStopped(program, task)


def tactus_is_users(frame):
    name = frame.name()
    if name is None:
        return False
    if TACTUS_LIBRARY_NAME.match(re.split(r"[(<]", name)[0].split(" ")[-1]):
        return False
    symtab = frame.find_sal().symtab
    return symtab is None or TACTUS_LIBRARY_FILE.search(symtab.fullname()) is None


def tactus_place(frame):
    """The innermost function outside of the library, from this frame on; of those whose source is known, if there is one."""
    without_source = ""
    for _ in range(TACTUS_MOST_FRAMES):
        if frame is None:
            break
        if tactus_is_users(frame):
            line = frame.find_sal()
            if line.symtab is not None:
                return f"{frame.name()} at {line.symtab.filename.split('/')[-1]}:{line.line}"
            without_source = without_source or frame.name()
        frame = frame.older()
    return without_source


def tactus_where(program, task):
    if task.above is not None:
        return ""
    try:
        with tactus_look_at(program, task):
            return tactus_place(gdb.selected_frame())
    except (gdb.error, gdb.GdbError):
        return ""


def tactus_table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


def tactus_print_tasks(program, limit):
    if not program.places:
        print("No run is active.")
        return
    shown = program.tasks[:limit]
    tactus_table(("Num", "Task", "State", "Where"),
                 [(task.number, f"'{task.name}'" if task.name else "unnamed", task.state, tactus_where(program, task))
                  for task in shown])
    if len(shown) < len(program.tasks):
        print(f"and {len(program.tasks) - len(shown)} more; `tactus tasks all` shows them.")
    if program.lacks_stacks:
        print("Stacks are missing in this core dump, and with them tasks. gdb's generate-core-file leaves them out on Linux "
              "6.13 and later; the kernel's own dumps have them.")
    queued = sum(w.queued for w in program.workers) + program.shared
    if queued:
        print(f"{queued} more {'entry' if queued == 1 else 'entries'} of queues: tasks that have not begun.")


class TactusCommand(gdb.Command):
    """Look at the tasks of Tactus.

Works in a program that has stopped and in a core dump, and changes nothing there."""

    def __init__(self):
        super().__init__("tactus", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


class TactusTasks(gdb.Command):
    """List the tasks of Tactus that have begun, and what each of them does or waits for.
Usage: tactus tasks [all]

State: on which worker it runs; what it waits for; or in which queue it is, ready to go on.
Where: its innermost function that is not of the library.
The numbers are for `tactus bt` and `tactus apply`, and hold until the program goes on.
Of very many tasks the first are shown; with the argument `all`, all of them."""

    def __init__(self, name="tactus tasks"):
        super().__init__(name, gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument.strip() not in ("", "all"):
            raise gdb.GdbError("Usage: tactus tasks [all]")
        program = TactusProgram()
        tactus_print_tasks(program, None if argument.strip() else TACTUS_MOST_ROWS)


class TactusWorkers(gdb.Command):
    """List the workers of Tactus: the thread of each, what it runs, and how many tasks are in its queue.
Usage: tactus workers"""

    def __init__(self):
        super().__init__("tactus workers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        program = TactusProgram()
        if not program.places:
            print("No run is active.")
            return
        rows = []
        for w in program.workers:
            if w.task is not None:
                does = f"runs task {w.task.number}" + (f" '{w.task.name}'" if w.task.name else "")
            else:
                does = "sleeps" if w.sleeps else "is between tasks"
            thread = f"{w.thread.num} (LWP {w.thread.ptid[1]})" if w.thread is not None else "-"
            rows.append((w.seat if w.run is None else f"{w.seat} of run {w.run}", thread, does, w.queued))
        tactus_table(("Worker", "Thread", "Does", "Queued"), rows)


def tactus_chosen(program, text):
    if text == "all":
        return program.tasks
    if not text.isdigit() or not 1 <= int(text) <= len(program.tasks):
        raise gdb.GdbError(f"'{text}' is not the number of a task: `tactus tasks` lists them"
                           f"{'' if program.tasks else ', and there is none now'}.")
    return [program.tasks[int(text) - 1]]


def tactus_apply(arguments, command, usage):
    if not arguments or not command:
        raise gdb.GdbError(usage)
    program = TactusProgram()
    chosen = tactus_chosen(program, arguments)
    for task in chosen:
        print(f"\nTask {task.number}{repr_name(task.name)}: {task.state}")
        try:
            with tactus_look_at(program, task):
                gdb.execute(command)
        except (gdb.error, gdb.GdbError) as error:
            if len(chosen) == 1:
                raise gdb.GdbError(str(error)) from None
            print(error)


def repr_name(name):
    return f" '{name}'" if name else ""


class TactusApply(gdb.Command):
    """Apply a command to a task of Tactus, or to all of them, as if it ran here.
Usage: tactus apply NUMBER|all COMMAND

NUMBER is that of `tactus tasks`. For example:
  tactus apply 3 bt -full
  tactus apply 3 frame apply level 4 info locals
  tactus apply all bt
Of a task that has stopped, frame 0 and what is inlined into it is the thread's that is borrowed to show the others.
What makes the program go on is not for this."""

    def __init__(self):
        super().__init__("tactus apply", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        number, _, command = argument.strip().partition(" ")
        tactus_apply(number, command.strip(), "Usage: tactus apply NUMBER|all COMMAND")


class TactusBacktrace(gdb.Command):
    """Print the backtrace of a task of Tactus, or of all, also while it waits.
Usage: tactus bt NUMBER|all [ARGUMENT...]

NUMBER is that of `tactus tasks`; the arguments are those of `backtrace`."""

    def __init__(self):
        super().__init__("tactus bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        number, _, rest = argument.strip().partition(" ")
        tactus_apply(number, f"backtrace {rest}".strip(), "Usage: tactus bt NUMBER|all [ARGUMENT...]")


TactusCommand()
TactusTasks()
TactusTasks("info tactus")
TactusWorkers()
TactusApply()
TactusBacktrace()
