import { readFileSync } from "node:fs";
import { afterAll, vi } from "vitest";
import { playedLine } from "../../../../infra/local/cluster/pods/serveLog.ts";
import { openLogRequests } from "../../../harness/openLogRequests.ts";
import { podLogSuite } from "../../../harness/podLogSuite.ts";
import { startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const requests = openLogRequests();
afterAll(() => requests.stop());

podLogSuite("the sandbox cluster", async () => {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  return { slipway, kubeconfig, log: [playedLine], openLogs: async () => requests.count() };
});
