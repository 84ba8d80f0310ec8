// SPDX-License-Identifier: Apache-2.0
// tasks/fib/fib.hpp: a task for each call of fib(n - 1).

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

final class Fib implements Rival.Problem {
    private final ForkJoinPool pool;
    private final int n;
    private final int threshold;
    private long result;

    Fib(Rival.Options options) {
        if (options.size() > 60) {
            throw new IllegalArgumentException("--size is at most 60");
        }
        pool = new ForkJoinPool(options.threads());
        n = options.size() == 0 ? 32 : (int) options.size();
        threshold = options.threshold();
    }

    private static long serial(int n) {
        return n < 2 ? n : serial(n - 1) + serial(n - 2);
    }

    private final class Call extends RecursiveTask<Long> {
        private final int of;

        Call(int of) {
            this.of = of;
        }

        @Override
        protected Long compute() {
            if (of <= threshold) {
                return serial(of);
            }
            Call first = new Call(of - 1);
            first.fork();
            long second = new Call(of - 2).compute();
            return first.join() + second;
        }
    }

    private static long number(int n) {
        long a = 0;
        for (long b = 1; n > 0; n--) {
            b += a;
            a = b - a;
        }
        return a;
    }

    @Override
    public void reset() {
        result = 0;
    }

    @Override
    public Rival.Timed pass() {
        Rival.Stopwatch watch = new Rival.Stopwatch();
        result = pool.invoke(new Call(n));
        return watch.elapsed();
    }

    @Override
    public void verify() {
        if (result != number(n)) {
            throw new Rival.WrongAnswer("fib(" + n + ") is " + number(n) + ", not " + result);
        }
    }

    @Override
    public long operations() {
        return 2 * number(n + 1) - 1;
    }

    @Override
    public long size() {
        return n;
    }
}
