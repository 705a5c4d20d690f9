import { readFileSync } from "node:fs";
import { chartCorpusSuite } from "../harness/chartCorpusSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

/** One of each kind of difference; `test/soak` has all charts of the corpus. */
const names = ["aliases", "database", "hooks", "keep", "notes", "operator", "password-lookup", "removals", "webhooks"];

chartCorpusSuite(names, async () => {
  const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
  return { slipway: await startSlipway({ kubeconfig }), kubeconfig };
});
