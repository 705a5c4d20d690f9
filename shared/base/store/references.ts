import { table } from "./table.ts";

/** Environment that refers to a cluster or a registry. */
export interface EnvironmentReference {
  projectKey: string;
  envKey: string;
}

/**
 * The environments under a partition of the index `references`, each once. Eventually consistent: an environment made
 * in the last moment may be missing.
 */
export async function referringEnvironments(refPk: string): Promise<EnvironmentReference[]> {
  const found = await table().query<object>({ index: "references", pk: refPk });
  const partitions = new Set(found.map(({ pk }) => pk));
  return [...partitions].flatMap((partition) => {
    const [noun, projectKey, envKey] = partition.split("#");
    return noun === "environment" && projectKey !== undefined && envKey !== undefined ? [{ projectKey, envKey }] : [];
  });
}
