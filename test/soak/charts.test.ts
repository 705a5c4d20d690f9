import { readFileSync } from "node:fs";
import { describe } from "vitest";
import { chartCorpusSuite } from "../harness/chartCorpusSuite.ts";
import { chartNames } from "../harness/corpus/readCharts.ts";
import { startSlipway } from "../harness/slipway.ts";

const path = process.env.KUBECONFIG;

describe.skipIf(path === undefined)("all charts of the corpus, on the API server of KUBECONFIG", () =>
  chartCorpusSuite(chartNames, async () => {
    const kubeconfig = readFileSync(path ?? "", "utf8");
    return { slipway: await startSlipway({ kubeconfig }), kubeconfig };
  }),
);
