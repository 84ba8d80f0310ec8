// SPDX-License-Identifier: Apache-2.0
// Problems of the benchmarks on java.util.concurrent: ForkJoinPool, and Phaser on threads. Command line, clock and result line
// are those of support/program.hpp. A second of passes before the first result lets the compiler do its work.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

public final class Rival {
    /** Of the command line; size 0 is the problem's default. */
    record Options(int threads, long size, int threshold, long phases, int reps, double minMs, boolean serve) {}

    /** What counts of a pass. */
    record Timed(double seconds, double processorSeconds) {}

    /** A moment, and the time since. */
    static final class Stopwatch {
        private final double processorBegin = processorSeconds();
        private final long begin = System.nanoTime();

        Timed elapsed() {
            double seconds = (System.nanoTime() - begin) * 1e-9;
            return new Timed(seconds, processorSeconds() - processorBegin);
        }
    }

    interface Problem {
        void reset();

        Timed pass() throws InterruptedException;

        void verify();

        long operations();

        long size();
    }

    static final class WrongAnswer extends RuntimeException {
        WrongAnswer(String text) {
            super(text);
        }
    }

    private static final double WARM_UP_SECONDS = 1;

    private final String name;
    private final Options options;
    private final Problem problem;
    private long repetitions;

    private Rival(String name, Options options) {
        this.name = name;
        this.options = options;
        problem = switch (name) {
            case "fib" -> new Fib(options);
            case "flat" -> new Flat(options);
            case "escaping_tree" -> new EscapingTree(options);
            case "lockstep" -> new Lockstep(options);
            default -> throw new IllegalArgumentException("no problem is named '" + name + "'");
        };
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try {
            new Rival(arguments[0], parse(arguments)).drive();
        } catch (WrongAnswer wrong) {
            System.out.println("{\"error\":\"" + wrong.getMessage() + "\"}");
            System.exit(1);
        } catch (IllegalArgumentException wrong) {
            System.err.println(arguments[0] + " by java: " + wrong.getMessage());
            System.exit(2);
        }
        System.exit(0);
    }

    private static Options parse(String[] arguments) {
        Map<String, String> given = new HashMap<>(Map.of("--threads", "1", "--size", "0", "--threshold", "1", "--phases", "0",
                "--reps", "1", "--min-ms", "20", "--shape", ""));
        boolean serve = false;
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[i].equals("--serve")) {
                serve = true;
            } else if (!given.containsKey(arguments[i])) {
                throw new IllegalArgumentException(arguments[i] + " is unknown; known are " + given.keySet() + " and --serve");
            } else if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " wants a value");
            } else {
                given.put(arguments[i], arguments[++i]);
            }
        }
        return new Options(Integer.parseInt(given.get("--threads")), Long.parseLong(given.get("--size")),
                Integer.parseInt(given.get("--threshold")), Long.parseLong(given.get("--phases")),
                Integer.parseInt(given.get("--reps")), Double.parseDouble(given.get("--min-ms")), serve);
    }

    private void drive() throws IOException, InterruptedException {
        for (double seconds = 0; seconds < WARM_UP_SECONDS; ) {
            problem.reset();
            seconds += problem.pass().seconds();
            problem.verify();
        }
        if (!options.serve()) {
            for (int i = 0; i < options.reps(); i++) {
                repetition();
            }
            return;
        }
        System.out.println("{\"ready\":true}");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String command = commands.readLine(); command != null && !command.equals("quit"); command = commands.readLine()) {
            if (!command.equals("run")) {
                throw new IllegalArgumentException("unknown command '" + command + "': run and quit are known");
            }
            repetition();
        }
    }

    private void repetition() throws IOException, InterruptedException {
        double seconds = 0;
        double processor = 0;
        int passes = 0;
        do {
            problem.reset();
            Timed timed = problem.pass();
            seconds += timed.seconds();
            processor += timed.processorSeconds();
            passes++;
            problem.verify();
        } while (seconds * 1e3 < options.minMs());
        long operations = problem.operations();
        System.out.printf(Locale.ROOT, "{\"problem\":\"%s\",\"competitor\":\"java\",\"threads\":%d,\"rep\":%d,\"passes\":%d,\"operations\":%d,"
                + "\"seconds\":%e,\"ns_per_op\":%e,\"cpu_seconds\":%e,\"peak_rss_delta\":%d,\"size\":%d}%n",
                name, options.threads(), ++repetitions, passes, operations, seconds / passes,
                seconds * 1e9 / passes / operations, processor / passes, residentPeak(), problem.size());
    }

    private static double processorSeconds() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() * 1e-9;
    }

    /** Of the whole virtual machine: there is no state before the pool to compare with. */
    private static long residentPeak() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        return 0;
    }
}
