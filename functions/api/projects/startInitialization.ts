import type { BoundUser } from "../../../shared/access/identity/store/bindings.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { packTransactions } from "../../../shared/base/store/packTransactions.ts";
import { table } from "../../../shared/base/store/table.ts";
import type { Write } from "../../../shared/base/store/writes.ts";
import { type NewProject, newProject, refuseTaken } from "../../../shared/projects/createProject.ts";
import type { MadeContent } from "../../../shared/projects/services/contentFromTemplate.ts";
import { countNewServices, newServiceWrites } from "../../../shared/projects/services/store/serviceRevisions.ts";
import { findPlaces, type ServicePlaces } from "../../../shared/projects/services/store/services.ts";
import { begunInitialization, claimInitialization } from "../../../shared/projects/store/initializations.ts";
import { newProjectWrites } from "../../../shared/projects/store/projects.ts";

interface Beginning {
  project: NewProject;
  contents: ReadonlyMap<string, MadeContent>;
  /** Of the whole request. */
  digest: string;
}

/**
 * Makes the project with as many of its services as one transaction holds, or takes up what the same request began
 * before. @returns the transactions that make the services still missing
 * @throws ApiError 6060 when key or name is taken, or another request is at it
 */
export async function startInitialization(beginning: Beginning, actor: BoundUser): Promise<Write[][]> {
  const { project, contents, digest } = beginning;
  const { projectKey } = project;
  const places = await findPlaces(projectKey, "test", [...contents.keys()]);
  if (places.project !== undefined) {
    if (!(await claimInitialization(projectKey, digest))) throw notToTakeUp(projectKey, places.project, digest);
    return counted(packTransactions(await serviceWrites(beginning, places, actor.name)));
  }
  const begun = { ...newProject(project, actor.name), ...begunInitialization(digest) };
  const own = await newProjectWrites(begun, actor);
  const [first = [], ...rest] = counted(
    packTransactions([own, ...(await serviceWrites(beginning, places, actor.name))]),
  );
  try {
    await table().write(...first);
  } catch (error) {
    refuseTaken(project, error);
    throw error;
  }
  return rest;
}

function counted(transactions: readonly Write[][]): Write[][] {
  return transactions.map((writes) => [...writes, ...countNewServices(writes)]);
}

/** The writes of each service that is missing. */
async function serviceWrites({ project, contents }: Beginning, places: ServicePlaces, by: string): Promise<Write[][]> {
  const missing = [...contents].filter(([name]) => !places.taken.has(name));
  const common = { projectKey: project.projectKey, kind: "test", group: 0, createdBy: by } as const;
  return Promise.all(
    missing.map(([name, content]) => {
      const revision = (places.lastRevisions.get(name) ?? 0) + 1;
      return newServiceWrites({ ...common, ...content, name, revision, createdAt: nowSeconds() });
    }),
  );
}

function notToTakeUp(projectKey: string, found: { initializationDigest?: string }, digest: string): ApiError {
  return found.initializationDigest === digest
    ? new ApiError(6060, `project ${projectKey} is being initialized by another request with the same content`)
    : new ApiError(6060, `a project with the same key exists, please check: ${projectKey}`);
}
