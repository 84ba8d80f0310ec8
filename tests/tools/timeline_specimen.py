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


def two_places():
    """A job of two processes of a worker each. The root task asks place 1, whose answer comes a microsecond before it was given, as clocks
    may have it; it spawns a task there, which place 1 gives back; and of three arrows, each of a kind, one end is lost."""
    def place(number):
        return {"ph": "M", "pid": number, "name": "process_name", "args": {"name": f"place {number}"}}

    def moves(number, lost=0):
        return {"ph": "M", "pid": number, "tid": 2**20 + number, "name": "thread_name", "args": {"name": "moves", "moves_lost": lost}}

    def move(what, number, task, time, key, size, hop):
        at = {"pid": number, "tid": 2**20 + number}
        return [{"ph": "B", "ts": time, "cat": "move", "name": f"{what} child", "args": {"task": task, "bytes": size, **key, "id": hex(hop)}, **at},
                {"ph": "s" if what == "gives" else "f", "ts": time, "cat": "move", "name": "move", "id": hex(hop), **at},
                {"ph": "E", "ts": time + 1, **at}]

    def at_place_1(events):
        return [{**event, "pid": event["tid"]} for event in events]

    arrows = [*arrow("spawn", 5, 10.0, 30.0, left=0, came=1), *arrow("result", 5, 41.0, 40.0, left=1, came=0),
              *arrow("spawn", 6, 12.0, 70.0), arrow("spawn", 8, 13.0, 0.0)[0], arrow("wake", 9, 0.0, 60.0)[1],
              arrow("result", 7, 75.0, 0.0, left=1)[0]]
    return {"traceEvents": [
        place(0), worker(0), *ran(0, 2, "root", 0.0, 20.0), *ran(0, 2, "root", 40.0, 60.0), *ran(0, 6, "child", 70.0, 80.0), moves(0, lost=1),
        *move("takes", 0, 6, 64.0, {"from": 1}, 48, 0x601), *move("gives", 0, 8, 65.0, {"to": 1}, 48, 0x801),
        place(1), {**worker(1), "pid": 1}, *at_place_1(ran(1, 5, "body", 30.0, 41.0)), *at_place_1(ran(1, 7, "body", 70.0, 75.0)), moves(1),
        *move("gives", 1, 6, 61.0, {"to": 0}, 48, 0x601), *at_place_1(arrows)],
        "displayTimeUnit": "ns", "otherData": {"command": "./job", "revision": "abc1234", "machine": "a machine", "events_lost": 0}}


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
