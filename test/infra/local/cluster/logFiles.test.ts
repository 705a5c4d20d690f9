import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readLog } from "../../../../infra/local/cluster/pods/logFile.ts";
import { startLogFile } from "../../../../infra/local/cluster/pods/logFiles.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
  path = join(folder, "main");
});

afterEach(() => rmSync(folder, { recursive: true }));

const write = (from: number, to: number) => {
  for (let at = from; at < to; at++)
    appendFileSync(path, `2026-01-01T00:00:00.${String(at).padStart(9, "0")}Z line ${at}\n`);
};
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

async function read(more: object = {}, isWritten = () => false): Promise<string[]> {
  const options = { follow: false, timestamps: false, tailLines: undefined, since: undefined, ...more };
  const parts: Buffer[] = [];
  for await (const part of readLog(path, options, isWritten, new AbortController().signal)) parts.push(part);
  return Buffer.concat(parts).toString().trimEnd().split("\n");
}

describe("a log of several files", () => {
  test("is read as one, of which the oldest part is gone", async () => {
    write(0, 10);
    startLogFile(path);
    expect(await read()).toEqual(numbers(0, 10));
    write(10, 20);
    expect(await read()).toEqual(numbers(0, 20));
    startLogFile(path);
    write(20, 25);
    expect(await read()).toEqual(["the beginning of this log is not kept", ...numbers(10, 25)]);
    expect((await read({ timestamps: true }))[0]).toBe(
      "2026-01-01T00:00:00.000000010Z the beginning of this log is not kept",
    );
  });

  test("has its last lines in either file, or in both", async () => {
    write(0, 10);
    startLogFile(path);
    write(10, 13);
    expect(await read({ tailLines: 2 })).toEqual(numbers(11, 13));
    expect(await read({ tailLines: 3 })).toEqual(numbers(10, 13));
    expect(await read({ tailLines: 5 })).toEqual(numbers(8, 13));
    expect(await read({ tailLines: 99 })).toEqual(numbers(0, 13));
    expect(await read({ tailLines: 0 })).toEqual([""]);
  });

  test("is followed from one file into the next, without a line lost or told twice", async () => {
    write(0, 3);
    let looks = 0;
    const followed = await read({ follow: true }, () => {
      looks += 1;
      if (looks === 3) startLogFile(path);
      if (looks === 4) write(3, 6);
      if (looks === 6) {
        write(6, 8);
        startLogFile(path);
        write(8, 9);
      }
      // Two files at once: what was the newest one is gone.
      if (looks === 9) {
        write(9, 10);
        startLogFile(path);
        write(10, 11);
        startLogFile(path);
        write(11, 12);
      }
      return looks < 14;
    });
    expect(followed).toEqual(numbers(0, 12));
  });
});
