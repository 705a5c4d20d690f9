import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockDataDir } from "../../../infra/local/dataDir.ts";
import { waitFor } from "../../harness/waitFor.ts";

function fieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** A child that ends and whose parent never asks how: it keeps its number, as under a container's first process. */
async function endedButKept(): Promise<{ pid: number; start: string }> {
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  const start = fieldsOf(pid)[19] ?? "";
  await waitFor("the child to end", async () => fieldsOf(pid)[0] === "Z");
  return { pid, start };
}

test.runIf(process.platform === "linux")(
  "a data folder whose Slipway was killed is free before its parent noticed",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "slipway-data-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const { pid, start } = await endedButKept();
    writeFileSync(join(dataDir, "slipway.pid"), `${pid} ${start}`);
    lockDataDir(dataDir);
    expect(readFileSync(join(dataDir, "slipway.pid"), "utf8")).toMatch(new RegExp(`^${process.pid} `));
  },
);
