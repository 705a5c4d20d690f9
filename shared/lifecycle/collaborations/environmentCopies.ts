import { copyName } from "../../access/identity/rules/copyName.ts";
import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { createEnvironment } from "../../environments/change/createEnvironment.ts";
import {
  findWholeEnvironment,
  listEnvironments,
  type WholeEnvironment,
} from "../../environments/store/environments.ts";
import { requireProject } from "../../projects/store/projects.ts";
import type { CopyMaker } from "./createCopies.ts";

/**
 * Services, variables, values, images and global variables of the base, in a namespace of its own. Drafts, and releases that
 * a job took from a chart repository, belong to the base alone.
 */
export const environmentCopies: CopyMaker = {
  resource: "environment",
  existing: async (projectKey) => (await listEnvironments(projectKey)).map(({ envKey }) => envKey),
  freeName: async (place, { identityType, account }, taken) => copyName({ ...place, identityType, account }, taken),
  make: async (projectKey, { base, name }, user) => {
    const whole = await findWholeEnvironment(projectKey, base, { consistent: true });
    if (whole === undefined || whole.environment.production) return;
    const { clusterId, registryId, globalVariables, defaultValues } = whole.environment;
    const { projectType } = await requireProject(projectKey);
    await createEnvironment(
      {
        projectKey,
        envKey: name,
        kind: "test",
        clusterId,
        registryId,
        namespace: `${projectKey}-env-${name}`.slice(0, 63).replace(/-+$/, ""),
        services: await Promise.all(whole.services.filter(isCopied).map(serviceOf)),
        charts: projectType === "helm",
        defaultValues,
        globalVariables: globalVariables.map(({ key, value }) => ({ key, value })),
        envConfigs: [],
        copied: true,
      },
      user,
    );
  },
};

type Service = WholeEnvironment["services"][number];

function isCopied({ definitionGone, release }: Service): boolean {
  return definitionGone !== true && release?.draft !== true && release?.chart.repository === undefined;
}

async function serviceOf({ name, variables, changedImages, release }: Service) {
  return {
    name,
    variables,
    ...(release && { valuesYaml: await readStoredText(release.valuesYaml) }),
    containers: Object.entries(changedImages).map(([container, image]) => ({ name: container, image })),
  };
}
