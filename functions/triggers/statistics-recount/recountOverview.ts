import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { dueProjectDeletions } from "../../../shared/base/store/dueWork.ts";
import { listEnvironments } from "../../../shared/environments/store/environments.ts";
import { listClusters } from "../../../shared/kube/clusters/store/clusters.ts";
import { listServices } from "../../../shared/projects/services/store/services.ts";
import { allProjects } from "../../../shared/projects/store/projects.ts";
import { correctOverview, type Overview, readOverview } from "../../../shared/reports/statistics/store/overview.ts";
import { listWorkflows } from "../../../shared/workflows/saved/store/workflows.ts";
import { agreed } from "./agreed.ts";

const projectsAtOnce = 8;

type Counted = Omit<Overview, "artifacts">;

/** Puts the overview right. @returns what differed; nothing while a project is on its way out, whose records go one by one */
export async function recountOverview(): Promise<string[]> {
  if ((await dueProjectDeletions()).length > 0) return [];
  const found = await agreed(async () => {
    const [counted, stored] = await Promise.all([count(), readOverview({ consistent: true })]);
    const names = (Object.keys(counted) as (keyof Counted)[]).filter((name) => counted[name] !== stored[name]);
    if (names.length === 0) return undefined;
    return Object.fromEntries(names.map((name) => [name, counted[name] - stored[name]]));
  });
  if (found === undefined) return [];
  await correctOverview(found);
  return [`overview ${JSON.stringify(found)}`];
}

async function count(): Promise<Counted> {
  const [clusters, projects] = await Promise.all([listClusters(), allProjects()]);
  const sizes = await mapBounded(projects, projectsAtOnce, async ({ projectKey }) => {
    const [services, workflows, environments] = await Promise.all([
      listServices(projectKey, "test"),
      listWorkflows(projectKey),
      listEnvironments(projectKey),
    ]);
    const standing = environments.filter(({ status }) => status !== "deleting");
    return { services: services.length, workflows: workflows.length, environments: standing.length };
  });
  const sum = (name: "services" | "workflows" | "environments") => sizes.reduce((total, size) => total + size[name], 0);
  return {
    clusters: clusters.length,
    services: sum("services"),
    workflows: sum("workflows"),
    environments: sum("environments"),
  };
}
