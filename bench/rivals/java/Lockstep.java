// SPDX-License-Identifier: Apache-2.0
// sync/lockstep/lockstep.hpp: a thread for each task, in step by a Phaser; on all cores whatever --threads says. Two phases
// are run first and not timed.

import java.util.concurrent.Phaser;

final class Lockstep implements Rival.Problem {
    private static final int UNTIMED = 2;
    private static final int LINE = 8; // longs between two counters
    private static final double PASS_NS = 20e6;

    private final int n;
    private final long phases;
    private final long[] counters;
    private Rival.Timed took;

    Lockstep(Rival.Options options) {
        n = options.size() == 0 ? 512 : Math.toIntExact(options.size());
        phases = options.phases() != 0 ? options.phases() : Math.max(4, Math.min(1_000_000, (long) (PASS_NS / (5000 + 2000.0 * n))));
        counters = new long[LINE * (n + 1)];
    }

    @Override
    public void reset() {
        java.util.Arrays.fill(counters, 0);
    }

    private void run(Phaser phaser, int task) {
        Rival.Stopwatch watch = null;
        for (long phase = 0; phase < phases + UNTIMED; phase++) {
            if (task == 0 && phase == UNTIMED) {
                watch = new Rival.Stopwatch();
            }
            counters[LINE * (task + 1)]++;
            phaser.arriveAndAwaitAdvance();
        }
        if (task == 0) {
            took = watch.elapsed();
        }
    }

    @Override
    public Rival.Timed pass() throws InterruptedException {
        Phaser phaser = new Phaser(n);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            int task = i;
            threads[i] = new Thread(null, () -> run(phaser, task), "task", 64 * 1024);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return took;
    }

    @Override
    public void verify() {
        for (int i = 0; i < n; i++) {
            if (counters[LINE * (i + 1)] != phases + UNTIMED) {
                throw new Rival.WrongAnswer("task " + i + " went through " + counters[LINE * (i + 1)] + " phases");
            }
        }
    }

    @Override
    public long operations() {
        return n * phases;
    }

    @Override
    public long size() {
        return n;
    }
}
