// The area under 4 / (1 + x^2) from 0 to 1, an equal share at each locale. Chapel 2.
config const n = 1000000;

proc value(i: int): real {
  const x = (i + 0.5) / n;
  return 4.0 / (1.0 + x * x) / n;
}

var pi: atomic real;
coforall loc in Locales do on loc {
  const first = here.id * n / numLocales;
  const last = (here.id + 1) * n / numLocales;
  pi.add(+ reduce [i in first..<last] value(i));
}
writef("pi: %.6dr\n", pi.read());
