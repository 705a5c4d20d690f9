import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { sonarServers } from "../../../shared/integrations/store/sonarServers.ts";
import { scriptWarnings } from "../../../shared/workflows/definition/script/scriptWarnings.ts";
import { resolveScriptJob } from "../../../shared/workflows/jobDefinitions/resolveScriptJob.ts";
import type { ScanDefinition } from "../../../shared/workflows/jobDefinitions/rules/quality/scanDefinition.ts";
import type { Wanted } from "../../../shared/workflows/jobDefinitions/saveDefinition.ts";
import { scans } from "../../../shared/workflows/jobDefinitions/store/scans.ts";
import { definitionHandlers } from "./definitionHandlers.ts";
import type { newScan, scanRoutes } from "./scanRoutes.ts";
import { scanAnswer, scanItem } from "./scanWire.ts";

const definitions = definitionHandlers({
  store: scans,
  noun: "code scan",
  codes: { create: 6535, update: 6536, remove: 400 },
  wanted: wantedScan,
  warnings: ({ scan: { job } }: z.output<typeof newScan>) => scriptWarnings(job, "script"),
  item: scanItem,
  shown: scanAnswer,
});

export const scanHandlers: Handlers<typeof scanRoutes> = {
  createScan: definitions.create,
  updateScan: definitions.update,
  deleteScan: definitions.remove,
  listScans: async ({ query }) => {
    const { total, items } = await definitions.list(query);
    return { total, codescans: items };
  },
  getScan: ({ params, query }) => definitions.read(query.projectKey, params.scanName),
};

function wantedScan({
  name,
  projectKey,
  scan: { job, sonarSystem, ...scan },
}: z.output<typeof newScan>): Wanted<ScanDefinition> {
  return {
    projectKey,
    name,
    resolve: async (resolver) => {
      const [resolved, sonar] = await Promise.all([
        resolveScriptJob(resolver, job, "image_name"),
        sonarSystem === ""
          ? undefined
          : resolver.record(sonarServers, sonarSystem, "sonar_system: SonarQube integration"),
      ]);
      return {
        content: { ...resolved, ...scan, sonarId: sonar?.id ?? "" },
        keyVals: [{ scope: "", path: "parameters", keyVals: job.keyVals }],
      };
    },
  };
}
