import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { startSandbox } from "../../../infra/local/cluster/start.ts";

// The suites of the real API server, word for word, against the sandbox cluster.
const dataDir = mkdtempSync(join(tmpdir(), "deploy-sandbox-"));
const sandbox = await startSandbox({ dataDir, podDelayMilliseconds: 50 });
process.env.KUBECONFIG = sandbox.kubeconfigPath;
afterAll(async () => {
  await sandbox.close();
  rmSync(dataDir, { recursive: true });
});

await import("../../cluster/deployApply.test.ts");
await import("../../cluster/deployEnvironment.test.ts");
