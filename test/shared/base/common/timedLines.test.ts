import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type LogPiece,
  type LogPosition,
  logPositionOf,
  timedLines,
} from "../../../../shared/base/common/timedLines.ts";

async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let rest = Buffer.from(text);
  for (const size of sizes) {
    yield rest.subarray(0, size);
    rest = rest.subarray(size);
  }
  yield rest;
}

interface Line {
  id: string;
  text: string;
}

async function linesOf(text: string, sizes: readonly number[] = [], after?: LogPosition): Promise<Line[]> {
  const shown: Line[] = [];
  const all: LogPiece[] = [];
  for await (const pieces of timedLines(inPieces(text, sizes), after)) all.push(...pieces);
  for (const { id, bytes } of all) {
    if (id !== undefined) shown.push({ id, text: "" });
    const last = shown.at(-1);
    if (last !== undefined) last.text += Buffer.from(bytes).toString("latin1");
  }
  return shown;
}

/** Times that never go back and often stand still, as a log has them. */
const log = fc
  .array(fc.tuple(fc.constantFrom(0, 0, 1, 999_999_999, 1_000_000_000), fc.stringMatching(/^[a-z 0-9:.Z-]{0,40}$/)), {
    minLength: 1,
    maxLength: 30,
  })
  .map((steps) => {
    let nanoseconds = 1_767_323_045n * 1_000_000_000n;
    return steps.map(([step, text]) => {
      nanoseconds += BigInt(step);
      const second = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
      const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, "0");
      return `${second}.${fraction}Z ${text}\n`;
    });
  });
const sizes = fc.array(fc.nat(50), { maxLength: 60 });

test("every line has an id of its own and is what was written, however the log arrives", async () => {
  await fc.assert(
    fc.asyncProperty(log, sizes, async (lines, cuts) => {
      const shown = await linesOf(lines.join(""), cuts);
      expect(shown.map(({ text }) => text)).toEqual(lines.map((line) => line.slice(line.indexOf(" ") + 1)));
      expect(new Set(shown.map(({ id }) => id)).size).toBe(lines.length);
    }),
  );
});

test("whoever goes on behind any line misses nothing and sees nothing twice, though the cluster sends it from an earlier one", async () => {
  await fc.assert(
    fc.asyncProperty(log, sizes, fc.nat(), async (lines, cuts, which) => {
      const whole = await linesOf(lines.join(""));
      const at = which % whole.length;
      const after = logPositionOf(whole[at]?.id ?? "");
      expect(after).toBeDefined();
      expect(await linesOf(lines.join(""), cuts, after)).toEqual(whole.slice(at + 1));
    }),
  );
});

test("where the line is not in the log any more, it goes on with the first later one", async () => {
  const after = logPositionOf("2026-01-01T00:00:01.5+01:00.3");
  const text = "2025-12-31T23:00:01.4Z a\n2025-12-31T23:00:01.500000001Z b\n2025-12-31T22:59:00Z c\n";
  expect((await linesOf(text, [], after)).map((line) => line.text)).toEqual(["b\n", "c\n"]);
});

test("an id that is none of ours is none", () => {
  for (const id of [
    "",
    "1",
    "2026-01-01T00:00:01Z",
    "2026-01-01T00:00:01Z.",
    "2026-01-01T00:00:01Z.-1",
    `${"x".repeat(30)}.1`,
  ])
    expect(logPositionOf(id), id).toBeUndefined();
});
