import { createEnvironment } from "../environments/createEnvironment.ts";
import { findWholeEnvironment, listEnvironments, type WholeEnvironment } from "../environments/store/environments.ts";
import { copyName } from "../identity/rules/copyName.ts";
import type { CopyMaker } from "./makeCopies.ts";

/** Services, variables, images and global variables of the base, in a namespace of its own. */
export const environmentCopies: CopyMaker = {
  resource: "environment",
  existing: async (projectKey) => (await listEnvironments(projectKey)).map(({ envKey }) => envKey),
  freeName: async (place, { identityType, account }, taken) => copyName({ ...place, identityType, account }, taken),
  make: async (projectKey, { base, name }, user) => {
    const whole = await findWholeEnvironment(projectKey, base, { consistent: true });
    if (whole === undefined || whole.environment.production) return;
    const { clusterId, registryId, globalVariables } = whole.environment;
    await createEnvironment(
      {
        projectKey,
        envKey: name,
        kind: "test",
        clusterId,
        registryId,
        namespace: `${projectKey}-env-${name}`.slice(0, 63).replace(/-+$/, ""),
        services: whole.services.filter(({ definitionGone }) => !definitionGone).map(serviceOf),
        globalVariables: globalVariables.map(({ key, value }) => ({ key, value })),
        envConfigs: [],
        copied: true,
      },
      user,
    );
  },
};

function serviceOf({ name, variables, changedImages }: WholeEnvironment["services"][number]) {
  return {
    name,
    variables,
    containers: Object.entries(changedImages).map(([container, image]) => ({ name: container, image })),
  };
}
