import type { EnvironmentVariable } from "./containerJob.ts";
import { workspacePath } from "./paths.ts";

/** Variables of a job's scripts by what they are; credentials go to `secretEnv`. */
export interface JobVariables {
  env: EnvironmentVariable[];
  secretEnv: EnvironmentVariable[];
}

/** What every script sees (contract W 11.4). */
export function commonVariables(task: {
  project: string;
  workflow: string;
  taskId: number;
  taskUrl: string;
}): EnvironmentVariable[] {
  return listOf({
    CI: "true",
    ZADIG: "true",
    PROJECT: task.project,
    WORKFLOW: task.workflow,
    WORKSPACE: workspacePath,
    TASK_ID: String(task.taskId),
    TASK_URL: task.taskUrl,
  });
}

export interface VariableRepository {
  repoName: string;
  repoOwner: string;
  branch: string;
  tag: string;
  pullRequests: readonly number[];
  mergeBranches: readonly string[];
  commitId: string;
}

/** `REPO_<i>`, `<REPO>_BRANCH` and the like of each repository. */
export function repositoryVariables(repositories: readonly VariableRepository[]): EnvironmentVariable[] {
  return repositories.flatMap((repository, at) => {
    const name = normalised(repository.repoName);
    const given = {
      [`${name}_BRANCH`]: repository.branch,
      [`${name}_TAG`]: repository.tag,
      [`${name}_PR`]: repository.pullRequests.join(","),
      [`${name}_PRE_MERGE_BRANCHES`]: repository.mergeBranches.join(","),
      [`${name}_ORG`]: repository.repoOwner,
      [commitVariable(repository.repoName)]: repository.commitId,
    };
    return [
      ...listOf({ [`REPONAME_${at}`]: repository.repoName, [`REPO_${at}`]: name }),
      ...listOf(given).filter(({ value }) => value !== ""),
    ];
  });
}

/** Where scripts find the id of the commit of a repository. */
export function commitVariable(repoName: string): string {
  return `${normalised(repoName)}_COMMIT_ID`;
}

/** `-` and `.` become `_`, a leading digit 0 to 9 becomes A to J. */
function normalised(repoName: string): string {
  return repoName.replace(/[-.]/g, "_").replace(/^\d/, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? "A");
}

export interface BuildFacts {
  service: string;
  serviceModule: string;
  /** The full reference. */
  image: string;
  packageFile: string;
  buildUrl: string;
  registry: { host: string; namespace: string; accessKey: string; secretKey: string };
}

export function buildVariables(build: BuildFacts): JobVariables {
  const { registry } = build;
  return {
    env: listOf({
      ...serviceVariables(build),
      IMAGE: build.image,
      PKG_FILE: build.packageFile,
      BUILD_URL: build.buildUrl,
      DOCKER_REGISTRY_HOST: registry.host,
      DOCKER_REGISTRY_NAMESPACE: registry.namespace,
      GIT_SSL_NO_VERIFY: "true",
    }),
    secretEnv: listOf({ DOCKER_REGISTRY_AK: registry.accessKey, DOCKER_REGISTRY_SK: registry.secretKey }),
  };
}

/**
 * Whether a variable names who signs in at a registry. It stays in the job's Secret, but is not masked in logs: it is a name
 * like `admin` or `AWS`, and would take that word out of everything that a script says.
 */
export function isAccessKey(variable: string): boolean {
  return variable.endsWith("REGISTRY_AK");
}

interface ServiceFacts {
  service: string;
  serviceModule: string;
}

export function testVariables(test: {
  project: string;
  name: string;
  /** `function`, or what the test says it is. */
  type: string;
  target?: ServiceFacts;
}): EnvironmentVariable[] {
  return listOf({
    TESTING_PROJECT: test.project,
    TESTING_NAME: test.name,
    TESTING_TYPE: test.type,
    ...(test.target && serviceVariables(test.target)),
  });
}

export function scanVariables(scan: {
  name: string;
  type: string;
  branch: string;
  sonar?: { url: string; token: string; link: string };
}): JobVariables {
  const { sonar } = scan;
  return {
    env: listOf({
      SCANNING_TYPE: scan.type,
      SCANNING_NAME: scan.name,
      BRANCH: scan.branch,
      ...(sonar && { SONAR_URL: sonar.url, SONAR_LINK: sonar.link }),
    }),
    secretEnv: sonar === undefined ? [] : listOf({ SONAR_TOKEN: sonar.token }),
  };
}

/** `<namespace>_REGISTRY_HOST`, `_AK` and `_SK` of each registry, for freestyle jobs. */
export function registryVariables(
  registries: readonly { host: string; namespace: string; accessKey: string; secretKey: string }[],
): JobVariables {
  const prefix = (namespace: string) => normalised(namespace.replace(/[^A-Za-z0-9_.-]/g, "_"));
  return {
    env: registries.flatMap(({ host, namespace }) => listOf({ [`${prefix(namespace)}_REGISTRY_HOST`]: host })),
    secretEnv: registries.flatMap(({ namespace, accessKey, secretKey }) =>
      listOf({ [`${prefix(namespace)}_REGISTRY_AK`]: accessKey, [`${prefix(namespace)}_REGISTRY_SK`]: secretKey }),
    ),
  };
}

export function serviceVariables({ service, serviceModule }: ServiceFacts): Record<string, string> {
  return { SERVICE: service, SERVICE_NAME: service, SERVICE_MODULE: serviceModule };
}

function listOf(variables: Readonly<Record<string, string>>): EnvironmentVariable[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}
