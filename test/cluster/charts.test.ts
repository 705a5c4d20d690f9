import { readFileSync } from "node:fs";
import { afterAll } from "vitest";
import { chartSuite } from "../harness/chartSuite.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;

chartSuite("a Kubernetes API server", async () => {
  const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
  slipway = await startSlipway({ kubeconfig });
  return { slipway, kubeconfig };
});

afterAll(() => slipway.close());
