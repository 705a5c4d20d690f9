import * as z from "zod";
import type { JobSpecNotice, ScanMetrics } from "../../../integrations/notify/rules/jobSpecNotice.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { plainText } from "../../../manifest/tree.ts";
import { ofDefinitions } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { definitionItems, selection, serviceItems, targetServices } from "../../definition/specParts.ts";

const lists = {
  ...{ chosen: "scannings", options: "scanning_options" },
  ...{ services: "service_and_scannings", serviceOptions: "service_scanning_options" },
};

/** Code scans are run, by themselves or for service modules. */
export const kind = {
  type: "zadig-scanning",
  words: ["Code Scan", "代码扫描"],
  schema: z.looseObject({
    ...selection,
    scanning_type: z.enum(["", "service_scanning"], "must be empty or service_scanning").nullish(),
    scannings: definitionItems,
    scanning_options: definitionItems,
    service_and_scannings: serviceItems,
    service_scanning_options: serviceItems,
    target_services: targetServices,
  }),
  ...ofDefinitions("scan", lists),
  notice: ({ sonar_metrics: metrics }): JobSpecNotice => ({ kind: "scan", metrics: metricsOf(metrics) }),
} as const satisfies JobKind;

function metricsOf(metrics: unknown): ScanMetrics | undefined {
  if (!isRecord(metrics)) return undefined;
  return {
    qualityGateStatus: plainText(metrics.QualityGateStatus),
    ncloc: plainText(metrics.Ncloc),
    bugs: plainText(metrics.Bugs),
    vulnerabilities: plainText(metrics.Vulnerabilities),
    codeSmells: plainText(metrics.CodeSmells),
    coverage: plainText(metrics.Coverage),
  };
}
