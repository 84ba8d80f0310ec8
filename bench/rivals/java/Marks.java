// SPDX-License-Identifier: Apache-2.0
// A byte for each task, counted up by it: base of Flat and EscapingTree.

import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

abstract class Marks implements Rival.Problem {
    final byte[] marks;
    private final ForkJoinPool pool;

    Marks(Rival.Options options, int byDefault) {
        marks = new byte[options.size() == 0 ? byDefault : Math.toIntExact(options.size())];
        pool = new ForkJoinPool(options.threads());
    }

    /** The task that all others come from. */
    abstract ForkJoinTask<?> root();

    @Override
    public void reset() {
        Arrays.fill(marks, (byte) 0);
    }

    @Override
    public Rival.Timed pass() {
        Rival.Stopwatch watch = new Rival.Stopwatch();
        pool.invoke(root());
        return watch.elapsed();
    }

    @Override
    public void verify() {
        int missing = 0;
        int repeated = 0;
        for (byte mark : marks) {
            missing += mark == 0 ? 1 : 0;
            repeated += mark != 0 && mark != 1 ? 1 : 0;
        }
        if (missing != 0) {
            throw new Rival.WrongAnswer(missing + " of " + marks.length + " tasks did not run");
        }
        if (repeated != 0) {
            throw new Rival.WrongAnswer(repeated + " of " + marks.length + " tasks ran more than once");
        }
    }

    @Override
    public long operations() {
        return marks.length;
    }

    @Override
    public long size() {
        return marks.length;
    }
}
