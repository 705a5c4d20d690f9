import type * as z from "zod";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import {
  type Actor,
  createEnvironment,
  type NewEnvironment,
} from "../../../shared/environments/change/createEnvironment.ts";
import { findClusterByName } from "../../../shared/kube/clusters/store/clusters.ts";
import { toConfigSource } from "./configs/configSource.ts";
import type { newHelmEnvironment } from "./helm/helmSchemas.ts";
import type { newProductionEnvironment, newTestEnvironment } from "./schemas.ts";
import { toServiceRequests } from "./serviceRequests.ts";

type TestBody = z.output<typeof newTestEnvironment>;
type HelmBody = z.output<typeof newHelmEnvironment>;
type ProductionBody = z.output<typeof newProductionEnvironment>;

/** Contract P 4.3; a sub-environment by P 9.4. */
export async function createTestEnvironment(projectKey: string, body: TestBody, actor: Actor) {
  return createEnvironment(await toTestEnvironment(projectKey, body), actor);
}

export async function toTestEnvironment(projectKey: string, body: TestBody): Promise<NewEnvironment> {
  return {
    ...(await common(projectKey, body)),
    kind: "test",
    baseEnv: baseOf(body),
    services: toServiceRequests(body.services ?? []),
    globalVariables: body.global_variables ?? [],
    envConfigs: (body.env_configs ?? []).map(toEnvConfig),
  };
}

function toEnvConfig(sent: NonNullable<TestBody["env_configs"]>[number]): NewEnvironment["envConfigs"][number] {
  const source = toConfigSource(sent.source_detail ?? sent);
  return {
    ...{ yamlData: sent.yaml_data, type: sent.common_env_cfg_type, autoSync: sent.auto_sync === true },
    source: Object.keys(source).length === 0 ? null : source,
  };
}

/** Contract P 4.4: starts empty, whatever else the body holds; a sub-environment of a production base by P 9.4. */
export async function createProductionEnvironment(projectKey: string, body: ProductionBody, actor: Actor) {
  return createEnvironment(await toProductionEnvironment(projectKey, body), actor);
}

export async function toProductionEnvironment(projectKey: string, body: ProductionBody): Promise<NewEnvironment> {
  const environment = await common(projectKey, body);
  const nothing = { services: [], globalVariables: [], envConfigs: [] };
  return { ...environment, kind: "production", alias: body.env_name, baseEnv: baseOf(body), ...nothing };
}

function baseOf({ sub_env }: Pick<TestBody | ProductionBody, "sub_env">): string | undefined {
  const asked = Array.isArray(sub_env) ? sub_env[0] : sub_env;
  return asked?.enable === true ? asked.base_env : undefined;
}

async function common(
  projectKey: string,
  body: Pick<
    TestBody | ProductionBody,
    "sub_env" | "env_key" | "cluster_id" | "cluster_name" | "namespace" | "registry_id" | "adopt"
  >,
) {
  return {
    projectKey,
    envKey: body.env_key,
    clusterId: body.cluster_id ?? (await clusterNamed(body.cluster_name ?? "")),
    namespace: body.namespace,
    registryId: body.registry_id === "" ? undefined : body.registry_id,
    adopt: body.adopt,
  };
}

/** Contract P 6.1: starts empty, a sub-environment (P 9.4) with the names of its base's Services. */
export async function createHelmEnvironment(projectKey: string, body: HelmBody, actor: Actor) {
  const { production, alias, env_name, ...rest } = body;
  const environment = await common(projectKey, { ...rest, env_key: env_name, cluster_name: undefined });
  const nothing = { services: [], globalVariables: [], envConfigs: [] };
  const kind = production ? "production" : "test";
  return createEnvironment({ ...environment, kind, alias, baseEnv: baseOf(rest), charts: true, ...nothing }, actor);
}

async function clusterNamed(name: string): Promise<string> {
  const cluster = await findClusterByName(name);
  if (cluster === undefined)
    throw badRequest([{ in: "body", path: "cluster_name", problem: `there is no cluster named ${name}` }]);
  return cluster.clusterId;
}
