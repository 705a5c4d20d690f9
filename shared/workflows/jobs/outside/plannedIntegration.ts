import { ApiError } from "../../../base/errors/apiError.ts";
import { isForProject } from "../../../integrations/rules/projectsOf.ts";
import { ServerRefused } from "../../../integrations/server/serverErrors.ts";
import type { Integration, IntegrationStore } from "../../../integrations/store/integrationStore.ts";

/** What says for which projects it is. */
export interface ForProjects {
  projects: readonly string[];
}

/** One sort of integrations, for sentences. */
export interface OutsideSort<Shown extends ForProjects, Kept extends object = object> {
  /** `Jenkins server` */
  noun: string;
  records: IntegrationStore<Shown, Kept>;
}

/** The record that a job uses, which must be for its project. @throws ServerRefused in words for users */
export async function usableIntegration<Shown extends ForProjects, Kept extends object>(
  { noun, records }: OutsideSort<Shown, Kept>,
  id: string,
  projectKey: string,
): Promise<Integration<Shown, Kept>> {
  const record = await records.find(id);
  if (record === undefined) throw new ServerRefused(`there is no ${noun} with the id ${id}`);
  if (isForProject(record.shown, projectKey)) return record;
  throw new ServerRefused(`the ${noun} ${record.name} is not for project ${projectKey}: an administrator adds it`);
}

/** The same when a task is planned. @param field of the job that has the id @throws ApiError 6160 */
export async function plannedIntegration<Shown extends ForProjects, Kept extends object>(
  sort: OutsideSort<Shown, Kept>,
  { job, field, id, projectKey }: { job: string; field: string; id: string; projectKey: string },
): Promise<Integration<Shown, Kept>> {
  try {
    return await usableIntegration(sort, id, projectKey);
  } catch (error) {
    if (error instanceof ServerRefused) throw new ApiError(6160, `job ${job}: ${field}: ${error.message}`);
    throw error;
  }
}
