// SPDX-License-Identifier: Apache-2.0
// tasks/flat/flat.hpp: one producer, n tasks, one join.

import java.util.concurrent.CountedCompleter;
import java.util.concurrent.ForkJoinTask;

final class Flat extends Marks {
    Flat(Rival.Options options) {
        super(options, 1_000_000);
    }

    private final class Mark extends CountedCompleter<Void> {
        private final int i;

        Mark(CountedCompleter<?> root, int i) {
            super(root);
            this.i = i;
        }

        @Override
        public void compute() {
            ++marks[i];
            propagateCompletion();
        }
    }

    private final class Root extends CountedCompleter<Void> {
        @Override
        public void compute() {
            setPendingCount(marks.length);
            for (int i = 0; i < marks.length; i++) {
                new Mark(this, i).fork();
            }
            tryComplete();
        }
    }

    @Override
    ForkJoinTask<?> root() {
        return new Root();
    }
}
