import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { log } from "../../../../shared/base/settings/log.ts";
import { waitFor } from "../../../harness/waitFor.ts";

/** A device on which every write fails as on a full disk. */
const fullDevice = "/dev/full";

test.skipIf(!existsSync(fullDevice))("lines that cannot be written are dropped, and counted in the log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  process.env.SLIPWAY_LOG_FILE = fullDevice;
  for (const message of ["one", "two", "three"]) log.info(message);
  const file = join(folder, "log.ndjson");
  process.env.SLIPWAY_LOG_FILE = file;
  await waitFor("all three to be counted", async () => {
    log.info("looked");
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const counts = [...text.matchAll(/"message":"lines of this log were dropped",.*?"lines":(\d+)/g)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0) === 3;
  });
  const messages = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  expect(messages.map((line) => (JSON.parse(line) as { message: string }).message)).toContain("looked");
});

test("what was logged in the last turn of a process is in the file, in its order", () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log.ndjson");
  const program = `
    import { log } from ${JSON.stringify(new URL("../../../../shared/base/settings/log.ts", import.meta.url).href)};
    for (let at = 0; at < 100; at++) log.info("line", { at });
    process.exit(3);
  `;
  const run = () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, SLIPWAY_LOG_FILE: file },
      stdio: "pipe",
    });
  expect(run).toThrow(expect.objectContaining({ status: 3 }));
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { at: number }).at)).toEqual(
    Array.from({ length: 100 }, (_, at) => at),
  );
});
