// SPDX-License-Identifier: Apache-2.0
// tasks/escaping_tree/escaping_tree.hpp: inner nodes fork both children and end. A CountedCompleter is how ForkJoin says so.

import java.util.concurrent.CountedCompleter;
import java.util.concurrent.ForkJoinTask;

final class EscapingTree extends Marks {
    EscapingTree(Rival.Options options) {
        super(options, (1 << 22) - 1);
    }

    private final class Node extends CountedCompleter<Void> {
        private final int i;

        Node(CountedCompleter<?> parent, int i) {
            super(parent);
            this.i = i;
        }

        @Override
        public void compute() {
            ++marks[i];
            int first = 2 * i + 1;
            int end = Math.min(first + 2, marks.length);
            setPendingCount(Math.max(0, end - first));
            for (int child = first; child < end; child++) {
                new Node(this, child).fork();
            }
            tryComplete();
        }
    }

    @Override
    ForkJoinTask<?> root() {
        return new Node(null, 0);
    }
}
