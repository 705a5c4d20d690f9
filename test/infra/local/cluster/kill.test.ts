import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { configMap, eventually } from "./harness.ts";
import { field, type RawClient, rawClient } from "./rawClient.ts";

const start = new URL("../../../../infra/local/cluster/start.ts", import.meta.url).href;

/** A sandbox in a process of its own, so that it can be killed. */
async function startProcess(dataDir: string): Promise<{ raw: RawClient; kill(): Promise<void> }> {
  const program = `import { startSandbox } from ${JSON.stringify(start)};
    await startSandbox({ dataDir: ${JSON.stringify(dataDir)} }); console.log("up");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(createInterface(child.stdout), "line");
  const raw = rawClient(readFileSync(join(dataDir, "kubeconfig"), "utf8"));
  const kill = async () => {
    raw.close();
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { raw, kill };
}

it("loses no answered write and no running Job when it is killed in the middle", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
  const first = await startProcess(dataDir);
  const template = {
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "x", command: ["sh", "-c", "echo a; sleep 1.5; echo b"] }],
    },
  };
  await first.raw.send("POST", "/apis/batch/v1/namespaces/default/jobs", {
    kind: "Job",
    metadata: { name: "long" },
    spec: { template },
  });
  const pods = "/api/v1/namespaces/default/pods?labelSelector=job-name=long";
  await eventually(
    async () => JSON.stringify((await first.raw.send("GET", pods)).body),
    (text) => text.includes('"running"'),
  );
  const answered: string[] = [];
  const writing = Promise.allSettled(
    Array.from({ length: 200 }, async (_, i) => {
      const answer = await first.raw.send("POST", "/api/v1/namespaces/default/configmaps", configMap(`c-${i}`));
      if (answer.code === 201) answered.push(`c-${i}`);
    }),
  );
  await eventually(
    () => answered.length,
    (count) => count > 20,
  );
  await first.kill();
  await writing;
  const second = await startProcess(dataDir);
  const list = await second.raw.send("GET", "/api/v1/namespaces/default/configmaps");
  const names = (field(list, "items") as { metadata: { name: string } }[]).map((item) => item.metadata.name);
  expect(names).toEqual(expect.arrayContaining(answered));
  await eventually(
    () => second.raw.send("GET", "/apis/batch/v1/namespaces/default/jobs/long"),
    (answer) => field(answer, "status.succeeded") === 1,
  );
  const [pod] = field(await second.raw.send("GET", pods), "items") as { metadata: { name: string } }[];
  const log = await second.raw.send("GET", `/api/v1/namespaces/default/pods/${pod?.metadata.name}/log`);
  expect(log.body).toBe("a\nb\n");
  await second.kill();
  rmSync(dataDir, { recursive: true, force: true });
});
