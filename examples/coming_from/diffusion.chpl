// A warm spot spreads on a torus, over all locales. Chapel 2.
use StencilDist;

config const n = 30, steps = 50;

const Space = {0..<n, 0..<n};
const Torus = Space dmapped new stencilDist(boundingBox=Space, fluff=(1, 1), periodic=true);
var now, next: [Torus] real;
now[n / 2, n / 2] = 1000;

for 1..steps {
  now.updateFluff();
  forall (i, j) in Torus do
    next[i, j] = (now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]) / 4;
  now <=> next;
}
const (warmest, at) = maxloc reduce zip(now, now.domain);
writef("%.3dr at %?, %.3dr in all\n", warmest, at, + reduce now);
