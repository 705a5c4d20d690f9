import { count, readCounter } from "../../base/store/counters.ts";
import { integrationStore, type ListedIntegration } from "./integrationStore.ts";

/** A Dockerfile that builds of any service may use (decisions 7.7). */
export interface DockerfileTemplate {
  name: string;
}

interface Content {
  content: string;
}

const counterName = "dockerfile-templates";

export const dockerfileTemplates = integrationStore<DockerfileTemplate, Content>("dockerfile-template", (amount) =>
  count(counterName, amount),
);

/** A page of all templates by name, and how many there are. */
export async function pageOfDockerfiles(
  page: number,
  pageSize: number,
): Promise<{ templates: ListedIntegration<DockerfileTemplate>[]; total: number }> {
  const total = await readCounter(counterName);
  if ((page - 1) * pageSize >= total) return { templates: [], total };
  const first = await dockerfileTemplates.listFirst(page * pageSize);
  return { templates: first.slice((page - 1) * pageSize), total };
}
