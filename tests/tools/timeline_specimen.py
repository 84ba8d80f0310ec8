# SPDX-License-Identifier: Apache-2.0
"""Timelines whose every number is known, as the library writes them."""


def worker(number, lost=0):
    return {"ph": "M", "pid": 0, "tid": number, "name": "thread_name", "args": {"name": f"worker {number}", "events_lost": lost}}


def ran(number, task, name, begin, end):
    return [{"ph": "B", "pid": 0, "tid": number, "ts": begin, "cat": "task", "name": name, "args": {"task": task}},
            {"ph": "E", "pid": 0, "tid": number, "ts": end}]


def waited(task, reason, begin, end, left=0, came=0):
    both = {"pid": 0, "cat": "wait", "id2": {"local": hex(task)}, "name": f"waits for {reason}"}
    return [{"ph": "b", "tid": left, "ts": begin, **both}, {"ph": "e", "tid": came, "ts": end, **both}]


def arrow(what, number, begin, end, left=0, came=0):
    """what: "spawn" or "wake"."""
    both = {"pid": 0, "cat": what, "id": number, "name": what}
    return [{"ph": "s", "tid": left, "ts": begin, **both}, {"ph": "f", "tid": came, "ts": end, **both, "bp": "e"}]


def stole(thief, victim, time, entries):
    return {"ph": "i", "pid": 0, "tid": thief, "ts": time, "s": "t", "cat": "steal", "name": "steal",
            "args": {"from": victim, "entries": entries}}


def turned(number, what, time, phase):
    return {"ph": "i", "pid": 0, "tid": number, "ts": time, "s": "p", "cat": "phase", "name": f"{what} turns", "args": {"phase": phase}}


def record(events, workers=2, lost=(), command="./program --size 3"):
    """lost: of the first workers, how many events each has lost."""
    of_each = [*lost, *[0] * (workers - len(lost))]
    return {"traceEvents": [*(worker(i, n) for i, n in enumerate(of_each)), *events], "displayTimeUnit": "ns",
            "otherData": {"command": command, "revision": "abc1234", "machine": "a machine, 2 processors", "events_lost": sum(of_each)}}


def small():
    """100 us on two workers: worker 0 is busy for 90, worker 1 for 31. Three tasks "child": 10, 21 and 30 us."""
    return record([
        *ran(0, 1, "main", 0.0, 20.0), *ran(0, 4, "child", 20.0, 50.0), stole(0, 1, 59.0, 1), *ran(0, 1, "main", 60.0, 100.0),
        stole(1, 0, 40.0, 2), *ran(1, 2, "child", 40.0, 50.0), stole(1, 0, 49.0, 3), *ran(1, 3, "child", 50.0, 71.0),
        *waited(1, "clock 7 in phase 12", 20.0, 60.0), *waited(2, "clock 7 in phase 13", 50.0, 52.0, left=1, came=0),
        *waited(3, "clock 7 in phase 14", 71.0, 72.0, left=1, came=1), *waited(4, "a value", 50.0, 99.0, left=0, came=1),
        *arrow("spawn", 2, 10.0, 40.0, left=0, came=1), *arrow("wake", 1, 50.0, 60.0, left=1, came=0), *arrow("spawn", 4, 12.0, 20.0),
        *(turned(0, "clock 7", 10.0 * i, i) for i in (1, 2, 4)), *(turned(1, "phaser 9", t, 1) for t in (5.0, 95.0, 96.0, 98.0))])


def crowd(workers=70, tasks=600):
    """More of everything than a page shows, with names that are long or look like markup."""
    events = []
    for i in range(tasks):
        long_name = "run()::<lambda(std::vector<std::pair<int, long double>>&)> and so on " * 3
        name = ("<script>alert(1)</script>", long_name, f"task {i}")[i % 3]
        events += ran(i % workers, i + 1, name, 100.0 * (i // workers), 100.0 * (i // workers) + 1 + i % 90)
        events += arrow("spawn", i + 1, 100.0 * (i // workers), 100.0 * (i // workers) + 1)
        events += waited(i + 1, f"a value that 'setter {i % 3}' makes", 7.0 * i, 7.0 * i + 3)
        events += [stole(i % workers, (i * 7 + 1) % workers, 5.0 * i, 1), turned(0, f"phaser {i}", 3.0 * i, i)]
    return record(events, workers=workers, lost=(12345, 1), command="./a 'b' & <c>")
