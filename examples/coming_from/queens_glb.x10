// SPDX-License-Identifier: Apache-2.0
// How many ways there are to put n queens on a board, by X10's global load balancing: a queue says how it is worked off, split and merged.
// What it becomes: queens_tactus.cpp. To be read: there is no X10 compiler among what the tests use.
import x10.glb.*;
import x10.util.ArrayList;
import x10.util.Team;

public class Queens implements TaskQueue[Queens, Long] {
  static N = 10n;
  val boards = new ArrayList[Rail[Int]]();
  var found:Long = 0;

  // As many boards as are asked for; returns whether there are more.
  public def process(var n:Long, context:Context[Queens, Long]):Boolean {
    while (n-- > 0 && !boards.isEmpty()) expand(boards.removeLast());
    return !boards.isEmpty();
  }

  // Half of them, for a place that has none.
  public def split():TaskBag {
    if (boards.size() < 2) return null;
    val some = new ArrayListTaskBag[Rail[Int]]();
    for (i in 1..(boards.size() / 2)) some.bag().add(boards.removeFirst());
    return some;
  }

  public def merge(bag:TaskBag) {
    boards.addAll((bag as ArrayListTaskBag[Rail[Int]]).bag());
  }

  public def count() = found;
  public def printLog() {}
  public def getResult() = new Total(found);

  def expand(board:Rail[Int]) {
    if (board.size == N as Long) {
      found++;
      return;
    }
    for (column in 0n..(N - 1n)) {
      if (isFree(board, column)) boards.add(new Rail[Int](board.size + 1, (i:Long) => i < board.size ? board(i) : column));
    }
  }

  static def isFree(board:Rail[Int], column:Int):Boolean {
    for (r in board.range()) {
      val apart = (board.size - r) as Int;
      if (board(r) == column || board(r) == column - apart || board(r) == column + apart) return false;
    }
    return true;
  }

  static class Total(n:Long) extends GLBResult[Long] {
    public def getResult() = [n as Long];
    public def getReduceOperator() = Team.ADD;
    public def display(r:Rail[Long]) { Console.OUT.println(r(0)); }
  }

  public static def main(args:Rail[String]) {
    val glb = new GLB[Queens, Long](() => new Queens(), GLBParameters.Default, true);
    glb.run(() => { glb.taskQueue().boards.add(new Rail[Int](0)); });
  }
}
