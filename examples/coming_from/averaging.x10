// SPDX-License-Identifier: Apache-2.0
// Averages of neighbours, over and over, for so many sweeps: tasks in lock step at the clock of a clocked finish.
// What it becomes: with_a_clock in averaging_tactus.cpp. To be read: there is no X10 compiler among what the tests use.
public class Averaging {
  static CELLS = 100;
  static TASKS = 4;
  static SWEEPS = 200;

  public static def main(args:Rail[String]) {
    val cells = new Rail[Rail[Double]](2, (i:Long) => new Rail[Double](CELLS + 2));
    cells(0)(CELLS + 1) = 1.0;
    cells(1)(CELLS + 1) = 1.0;

    clocked finish {
      for (task in 0..(TASKS - 1)) clocked async {
        for (sweep in 0..(SWEEPS - 1)) {
          val from = cells(sweep % 2);
          val to = cells((sweep + 1) % 2);
          for (j in (1 + task * CELLS / TASKS)..((task + 1) * CELLS / TASKS)) {
            to(j) = (from(j - 1) + from(j + 1)) / 2.0;
          }
          Clock.advanceAll();
        }
      }
    }
    Console.OUT.println(cells(SWEEPS % 2)(CELLS / 2));
  }
}
