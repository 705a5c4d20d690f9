import type * as z from "zod";
import { findClusterByName } from "../../../shared/clusters/store/clusters.ts";
import { type Actor, createEnvironment, type NewEnvironment } from "../../../shared/environments/createEnvironment.ts";
import { badRequest } from "../../../shared/errors/apiError.ts";
import { toConfigSource } from "./configSource.ts";
import type { newProductionEnvironment, newTestEnvironment } from "./schemas.ts";
import { toServiceRequests } from "./serviceRequests.ts";

type TestBody = z.output<typeof newTestEnvironment>;
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

/** Contract P 4.4: starts empty, whatever else the body holds. */
export async function createProductionEnvironment(projectKey: string, body: ProductionBody, actor: Actor) {
  return createEnvironment(await toProductionEnvironment(projectKey, body), actor);
}

export async function toProductionEnvironment(projectKey: string, body: ProductionBody): Promise<NewEnvironment> {
  if (baseOf(body) !== undefined)
    throw badRequest([{ in: "body", path: "sub_env", problem: "sub-environments are test environments only" }]);
  const environment = await common(projectKey, body);
  const nothing = { services: [], globalVariables: [], envConfigs: [] };
  return { ...environment, kind: "production", alias: body.env_name, ...nothing };
}

function baseOf({ sub_env }: TestBody | ProductionBody): string | undefined {
  const asked = Array.isArray(sub_env) ? sub_env[0] : sub_env;
  return asked?.enable === true ? asked.base_env : undefined;
}

async function common(projectKey: string, body: TestBody | ProductionBody) {
  return {
    projectKey,
    envKey: body.env_key,
    clusterId: body.cluster_id ?? (await clusterNamed(body.cluster_name ?? "")),
    namespace: body.namespace,
    registryId: body.registry_id === "" ? undefined : body.registry_id,
    adopt: body.adopt,
  };
}

async function clusterNamed(name: string): Promise<string> {
  const cluster = await findClusterByName(name);
  if (cluster === undefined)
    throw badRequest([{ in: "body", path: "cluster_name", problem: `there is no cluster named ${name}` }]);
  return cluster.clusterId;
}
