import type * as z from "zod";
import { mayReadSecrets } from "../../../shared/access/identity/rules/mayReadSecrets.ts";
import { refusal } from "../../../shared/access/identity/rules/permission.ts";
import { readStoredText } from "../../../shared/base/aws/objects/objectStore.ts";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { table } from "../../../shared/base/store/table.ts";
import { type Rollback, type RollbackSummary, searchRollbacks } from "../../../shared/environments/store/rollbacks.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { maskedTemplate } from "../../../shared/kube/live/maskedTemplate.ts";
import { timesBetween } from "./ranges.ts";
import type { rollbackPage, rollbackQuery } from "./schemas.ts";

type Page = z.input<typeof rollbackPage>;

/** Places of the list that one search reads (decisions 12.7). */
const mostSearched = 10_000;
const textsAtOnce = 10;

const reading = {
  permission: {
    kind: "verb",
    verbs: ["get_environment"],
    productionVerbs: ["get_production_environment"],
    collaboration: "environment",
  },
  mutates: false,
} as const;

/** A page of rollbacks that the caller may see (contract D 5.6). @throws ApiError 400 for a bad range or too many of them */
export async function rollbackDetail(query: z.output<typeof rollbackQuery>, caller: Caller): Promise<Page> {
  const { start, end } = timesBetween(query.startTime, query.endTime);
  const found = await searchRollbacks(start, end, mostSearched + 1);
  if (found.length > mostSearched)
    throw new ApiError(400, `more than ${mostSearched} rollbacks lie in the range: ask for a shorter one`);
  const wanted = found.filter(({ summary }) => fits(summary, query) && mayRead(summary, caller));
  const page = wanted.slice((query.pageNum - 1) * query.pageSize, query.pageNum * query.pageSize);
  if (page.length === 0) return { total: wanted.length, data: [] };
  const items = await table().getMany<Rollback>(
    page.map(({ key }) => key),
    { consistent: false },
  );
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const data = await mapBounded(page, textsAtOnce, async ({ key }) => {
    const rollback: Rollback | undefined = byKey.get(`${key.pk} ${key.sk}`);
    return rollback === undefined ? [] : [await shown(rollback, caller)];
  });
  return { total: wanted.length, data: data.flat() };
}

function fits(
  { projectKey, envKey, service }: RollbackSummary,
  query: { projectKey?: string | undefined; envName?: string | undefined; serviceName?: string | undefined },
): boolean {
  const agrees = (asked: string | undefined, value: string) => !asked || asked === value;
  return agrees(query.projectKey, projectKey) && agrees(query.envName, envKey) && agrees(query.serviceName, service);
}

function mayRead({ projectKey, envKey, production }: RollbackSummary, caller: Caller): boolean {
  return refusal(reading, caller, { projectKey, environment: envKey, production }) === undefined;
}

async function shown(rollback: Rollback, caller: Caller): Promise<Page["data"][number]> {
  const { projectKey, envKey, production, service, by, byUser, at, origin, update } = rollback;
  const text = async (state: Rollback["origin"]) => {
    if (state === undefined) return "";
    const manifest = await readStoredText(state.text);
    return mayReadSecrets(caller, rollback) ? manifest : maskedTemplate(manifest);
  };
  return {
    ...{ project_key: projectKey, env_name: envKey, env_type: "zadig", production, operation_type: "zadig" },
    ...{ service_name: service, service_type: "k8s" },
    origin_service: { ...serviceOf(service, origin, 0), rendered_yaml: await text(origin) },
    update_service: { ...serviceOf(service, update, at), rendered_yaml: await text(update) },
    create_by: {
      ...{ uid: byUser?.uid ?? "", account: byUser?.account ?? "" },
      ...{ name: by, identity_type: byUser?.identityType ?? "" },
    },
    ...{ create_time: at, origin_sae_app: null, update_sae_app: null },
  };
}

function serviceOf(service_name: string, state: Rollback["origin"], update_time: number) {
  const containers = state?.containers ?? [];
  return {
    ...{ service_name, release_name: "", values_yaml: "", override_values: "", update_time },
    containers: containers.map(({ name, type, image, imageName }) => ({ name, type, image, image_name: imageName })),
  };
}
