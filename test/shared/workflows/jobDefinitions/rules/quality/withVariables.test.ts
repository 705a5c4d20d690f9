import { expect, test } from "vitest";
import { withVariables } from "../../../../../../shared/workflows/jobs/zadig-scanning/runner.ts";

const variables = [
  { name: "A", value: "first" },
  { name: "A", value: "one $B" },
  { name: "AB", value: "C:\\new\r\nsonar.host.url=https://elsewhere" },
  { name: "EMPTY", value: "" },
];

const braced = (name: string) => `\${${name}}`;

test.each([
  ["x=$A", "x=one $B"],
  [`x=${braced("A")}B`, "x=one $BB"],
  ["x=$AB.$A", "x=C:\\\\new sonar.host.url=https://elsewhere.one $B"],
  [`x=$EMPTY-${braced("EMPTY")}`, "x=-"],
  [
    `x=$NONE ${braced("NONE")} $ $1 ${braced("env.A")} $$A`,
    `x=$NONE ${braced("NONE")} $ $1 ${braced("env.A")} $one $B`,
  ],
  [`x=$constructor ${braced("__proto__")}`, `x=$constructor ${braced("__proto__")}`],
])("%j becomes %j: known variables in either form, and no line of their own", (properties, expected) => {
  expect(withVariables(properties, variables)).toBe(expected);
});
