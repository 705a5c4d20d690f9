import { EnvironmentProblem } from "../../environments/failures.ts";
import type { EnvironmentName } from "../../environments/requireEnvironment.ts";
import {
  type EnvironmentReference,
  environmentsOnCluster,
  listEnvironments,
} from "../../environments/store/environments.ts";
import { lateSentence } from "./variables/lateValues.ts";

/** A namespace that environments of a project use. */
export interface OwnNamespace {
  clusterId: string;
  namespace: string;
  /** Environments of the project in it, at least one. */
  environments: EnvironmentReference[];
}

/**
 * The namespace, as far as jobs of the project may touch it: only those of its environments (decisions 5.7).
 * @param clusterId of the cluster; empty where the project has one environment of that namespace, on whatever cluster
 * @throws EnvironmentProblem
 */
export async function ownNamespace(projectKey: string, clusterId: string, namespace: string): Promise<OwnNamespace> {
  const wanted = clusterId || (await clusterOf(projectKey, namespace));
  const all = wanted === "" || namespace === "" ? [] : await environmentsOnCluster(wanted, namespace);
  const environments = all.filter((environment) => environment.projectKey === projectKey);
  if (environments.length === 0)
    throw new EnvironmentProblem(
      `namespace ${namespace || '""'} belongs to no environment of project ${projectKey} on cluster ${clusterId || wanted || '""'}; jobs may change only those`,
    );
  return { clusterId: wanted, namespace, environments };
}

/** Its environments by their names. @throws EnvironmentProblem as `ownNamespace`, and for a namespace that only a run can know */
export async function environmentsIn(
  projectKey: string,
  clusterId: string,
  namespace: string,
): Promise<[EnvironmentName, ...EnvironmentName[]]> {
  const late = lateSentence("the namespace", namespace);
  if (late !== undefined) throw new EnvironmentProblem(late);
  const { environments } = await ownNamespace(projectKey, clusterId, namespace);
  const all = await listEnvironments(projectKey);
  const named = environments.map(({ envKey }) => {
    const production = all.some((one) => one.envKey === envKey && one.production);
    return { projectKey, envKey, production };
  });
  return named as [EnvironmentName, ...EnvironmentName[]];
}

async function clusterOf(projectKey: string, namespace: string): Promise<string> {
  const environments = await listEnvironments(projectKey);
  return environments.find((environment) => environment.namespace === namespace)?.clusterId ?? "";
}
