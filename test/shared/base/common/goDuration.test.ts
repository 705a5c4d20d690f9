import { expect, test } from "vitest";
import { goDuration } from "../../../../shared/base/common/goDuration.ts";

test.each([
  ["90s", 90],
  ["5m", 300],
  ["1h30m", 5400],
  ["1.5h", 5400],
  [".5s", 0.5],
  ["1.s", 1],
  ["500ms", 0.5],
  ["2us3µs4μs", 9e-6],
  ["1ns", 1e-9],
  ["+5s", 5],
  ["-5s", -5],
  ["0", 0],
  ["0s", 0],
  ["2540400h", 9_145_440_000],
])("%s is a duration, as Go reads it", (text, seconds) => {
  expect(goDuration(text)).toBeCloseTo(seconds, 12);
});

test.each(["", "-", "5", "5 s", "s", "1d", "1h 30m", "h1", "1e3s", "1_000s", "--1s", ".s", "9999999h", "∞s", "1H"])(
  "%j is none",
  (text) => {
    expect(goDuration(text)).toBeUndefined();
  },
);
