import type * as z from "zod";
import { pageOfDefinitions } from "../../../shared/definitions/pageOfDefinitions.ts";
import { removeDefinition } from "../../../shared/definitions/removeDefinition.ts";
import { resolveScriptJob } from "../../../shared/definitions/resolveScriptJob.ts";
import {
  createDefinition,
  replaceDefinition,
  requireDefinition,
  type Wanted,
} from "../../../shared/definitions/saveDefinition.ts";
import type { ScanDefinition } from "../../../shared/domain/quality/scanDefinition.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { scans } from "../../../shared/store/definitions/scans.ts";
import { sonarServers } from "../../../shared/store/integrations/sonarServers.ts";
import type { newScan, scanRoutes } from "./scanRoutes.ts";
import { scanAnswer, scanItem } from "./scanWire.ts";

const sort = { store: scans, noun: "code scan" };

export const scanHandlers: Handlers<typeof scanRoutes> = {
  createScan: async ({ query, body, caller }) => {
    await createDefinition({ ...sort, code: 6535 }, wantedScan(body, query.projectKey), caller.name);
    return success;
  },
  updateScan: async ({ query, body, caller }) => {
    await replaceDefinition({ ...sort, code: 6536 }, wantedScan(body, query.projectKey), caller.name);
    return success;
  },
  deleteScan: async ({ query }) => {
    await removeDefinition({ ...sort, code: 400 }, query.projectKey, query.name);
    return success;
  },
  listScans: async ({ query }) => {
    const { shown, total } = await pageOfDefinitions(scans, query);
    return { total, codescans: shown.map((one) => scanItem(query.projectKey, one)) };
  },
  getScan: async ({ params, query }) => scanAnswer(await requireDefinition(sort, query.projectKey, params.scanName)),
};

function wantedScan(
  { name, projectKey: inBody, scan: { job, sonarSystem, ...scan } }: z.output<typeof newScan>,
  inQuery = "",
): Wanted<ScanDefinition> {
  return {
    projectKey: inBody || inQuery,
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
