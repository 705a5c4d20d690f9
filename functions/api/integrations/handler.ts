import type * as z from "zod";
import { notFound } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../shared/http/recordHandlers.ts";
import { success } from "../../../shared/http/schemas.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import { baseImages, builtInImages } from "../../../shared/integrations/store/baseImages.ts";
import type { Integration } from "../../../shared/integrations/store/integrationStore.ts";
import { type SystemHook, systemHookId, systemHooks } from "../../../shared/integrations/store/systemHooks.ts";
import { findCluster, type SchedulingStrategy } from "../../../shared/kube/clusters/store/clusters.ts";
import { strategiesOf } from "../../../shared/kube/clusters/strategies.ts";
import type { baseImageRoutes, newBaseImage } from "./baseImageRoutes.ts";
import { addStrategy, putStrategy, removeStrategy } from "./changeStrategies.ts";
import { chatAppHandlers } from "./chatApps.ts";
import { codeHostHandlers } from "./codeHosts/codeHosts.ts";
import type { SystemHookBody, systemHookRoutes } from "./codeHosts/systemHookRoutes.ts";
import { dockerfileHandlers } from "./dockerfiles.ts";
import { mailHostHandlers } from "./mailHosts.ts";
import { integrationRoutes } from "./routes.ts";
import { configurationHandlers } from "./servers/configurationServers.ts";
import { databaseHandlers } from "./servers/databases.ts";
import { issueTrackerHandlers } from "./servers/issueTrackers.ts";
import { jenkinsHandlers } from "./servers/jenkinsServers.ts";
import { metricServerHandlers } from "./servers/metricServers.ts";
import { sonarHandlers } from "./servers/sonarServers.ts";
import type { newStrategy, strategy as shape, strategyRoutes } from "./strategyRoutes.ts";

const systemHookHandlers: Handlers<typeof systemHookRoutes> = {
  getSystemHook: async () => {
    const found = await systemHooks.find(systemHookId);
    const { enabled, address, events } = found?.shown ?? { enabled: false, address: "", events: [] };
    return { enabled, address, has_secret: found?.secretFields.includes("secret") ?? false, events: [...events] };
  },
  setSystemHook: async ({ body }) => {
    await setSystemHook(body);
    return success;
  },
};

/** Makes it, or changes the one there is. */
async function setSystemHook({ enabled, address, events, secret }: SystemHookBody): Promise<void> {
  const secrets = await sealFields(systemHooks.kind, systemHookId, { secret: secret ?? "" });
  await retryOnConflict(async () => {
    const before = await systemHooks.find(systemHookId);
    const hasSecret = secret === undefined ? before?.secretFields.includes("secret") : secret !== "";
    const after: Integration<SystemHook> = {
      ...{ id: systemHookId, name: systemHookId, shown: { enabled, address, events }, kept: {} },
      secretFields: hasSecret ? ["secret"] : [],
    };
    await (before === undefined ? systemHooks.create(after, secrets) : systemHooks.change(before, after, secrets));
  });
}

const strategyHandlers: Handlers<typeof strategyRoutes> = {
  listStrategies: async ({ params }) => {
    const cluster = await findCluster(params.id);
    if (cluster === undefined) throw notFound(`cluster ${params.id}`);
    return strategiesOf(cluster).map(answerOf);
  },
  addStrategy: async ({ params, body }) => ({ ...success, id: await addStrategy(params.id, toStrategy(body)) }),
  setStrategy: async ({ params, body }) => ({
    ...success,
    id: await putStrategy(params.id, body.id, toStrategy(body)),
  }),
  deleteStrategy: async ({ params }) => {
    await removeStrategy(params.id, params.strategyId);
    return success;
  },
};

function toStrategy(body: z.output<typeof newStrategy>): Omit<SchedulingStrategy, "strategyId"> {
  const { name, strategy, node_labels: nodeLabels, tolerations, default: isDefault } = body;
  return { name, strategy, nodeLabels, tolerations, isDefault };
}

function answerOf({ strategyId, ...shown }: SchedulingStrategy): z.input<typeof shape> {
  const { name, strategy, nodeLabels, tolerations, isDefault } = shown;
  return { id: strategyId, name, strategy, node_labels: [...nodeLabels], tolerations, default: isDefault };
}

const sort = { noun: "base image", nameField: "label", records: baseImages };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { label, value }: z.output<typeof newBaseImage>) => {
    return { id, name: label, shown: { label, value }, kept: {}, secretFields: [] };
  },
  answerOf: ({ id, shown: { label, value } }) => ({ id, value, label, image_from: "custom" as const }),
});

const builtIn = builtInImages.map(({ id, name, label }) => {
  return { id, value: name, label, image_from: "koderover" as const };
});

const baseImageHandlers: Handlers<typeof baseImageRoutes> = {
  listBaseImages: async ({ query: { image_from: from } }) => [
    ...(from === "custom" ? [] : builtIn),
    ...(from === "koderover" ? [] : await list()),
  ],
  addBaseImage: add,
  getBaseImage: read,
  updateBaseImage: change,
  deleteBaseImage: remove,
};

export const handler = createApi(integrationRoutes, {
  ...codeHostHandlers,
  ...baseImageHandlers,
  ...sonarHandlers,
  ...metricServerHandlers,
  ...jenkinsHandlers,
  ...databaseHandlers,
  ...configurationHandlers,
  ...issueTrackerHandlers,
  ...dockerfileHandlers,
  ...mailHostHandlers,
  ...chatAppHandlers,
  ...systemHookHandlers,
  ...strategyHandlers,
});
