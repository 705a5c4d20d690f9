import { ApiError, notFound } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { ServiceKind } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { ServiceVariable } from "../../manifest/variables/serviceVariable.ts";
import { type Project, projectMustStand } from "../store/projects.ts";
import { contentFromTemplate, type FromTemplate, type MadeContent, unknownTemplate } from "./contentFromTemplate.ts";
import { prepareService } from "./prepareService.ts";
import { type ContentPreview, previewContent } from "./previewDefinition.ts";
import { countNewServices, newServiceWrites } from "./store/serviceRevisions.ts";
import { findPlaces, type ServiceRecord } from "./store/services.ts";
import { findTemplateByName } from "./store/yamlTemplates.ts";

interface Address {
  projectKey: string;
  kind: ServiceKind;
  name: string;
}

interface NewService extends Address {
  yaml: string;
  /** They win over what is extracted from the YAML (contract P 12.1). */
  variables: readonly ServiceVariable[];
  /** Refuse what would be warned of, now and in later revisions. */
  strict?: boolean | undefined;
}

const maxAttempts = 5;

/**
 * Creates a service of a YAML project from its text (contract P 2.4). A revision above 1 says that the name was used before.
 * @throws ApiError 404 for an unknown project, 6040 for a taken name, 6045 for YAML or values that do not fit
 */
export function createService(wanted: NewService, createdBy: string): Promise<ServiceRecord> {
  return storeService(wanted, createdBy, async () => contentOf(wanted));
}

/**
 * Creates a service from a template of the library (contract P 3.1).
 * @throws ApiError as `createService`; 404 for an unknown template too
 */
export function createFromTemplate(
  wanted: Address & { template: FromTemplate },
  createdBy: string,
): Promise<ServiceRecord> {
  return storeService(wanted, createdBy, () => loadTemplate(wanted));
}

function contentOf({ yaml, variables, strict }: NewService): MadeContent {
  const content = prepareService({ yaml, variables, refuseWarnings: strict });
  return { ...content, source: "spock", ...(strict === true && { strict }) };
}

async function loadTemplate(wanted: Address & { template: FromTemplate }): Promise<MadeContent> {
  const template = await findTemplateByName(wanted.template.name);
  if (template === undefined) throw new ApiError(404, unknownTemplate(wanted.template.name));
  return contentFromTemplate(template, wanted, wanted.template);
}

/** What creating the service would deploy later. @throws ApiError as the creation */
export async function previewCreation(
  wanted: NewService | (Address & { template: FromTemplate }),
): Promise<ContentPreview> {
  await requireFree(wanted);
  const content = "template" in wanted ? await loadTemplate(wanted) : contentOf(wanted);
  return previewContent(wanted.name, undefined, content);
}

async function requireFree(
  { projectKey, kind, name }: Address,
  requireType = requireYamlProject,
): Promise<{ lastRevision: number }> {
  const { project, taken, lastRevisions } = await findPlaces(projectKey, kind, [name]);
  requireType(project, projectKey);
  if (taken.has(name)) throw new ApiError(6040, `service:${name} already exists`);
  return { lastRevision: lastRevisions.get(name) ?? 0 };
}

/** `make` is asked again when something changed under its feet. */
export async function storeService(
  { projectKey, kind, name }: Address,
  createdBy: string,
  make: () => Promise<MadeContent>,
  requireType = requireYamlProject,
): Promise<ServiceRecord> {
  for (let attempt = 1; ; attempt++) {
    const revision = (await requireFree({ projectKey, kind, name }, requireType)).lastRevision + 1;
    const address = { projectKey, kind, name, createdBy, createdAt: nowSeconds(), revision, group: 0 };
    const record: ServiceRecord = { ...address, ...(await make()) };
    try {
      const writes = await newServiceWrites(record);
      await table().write(...writes, projectMustStand(projectKey), ...countNewServices(writes));
      return record;
    } catch (error) {
      // The next attempt finds a service made meanwhile; a name made and deleted meanwhile only moves the numbering.
      if (!(error instanceof ConditionFailed) || attempt === maxAttempts) throw error;
    }
  }
}

/**
 * Checks that a project exists and takes YAML services (decisions 6.6).
 * @throws ApiError 404; 6040 for a helm or a loaded project, which never does
 */
function requireYamlProject(project: Pick<Project, "projectType" | "deleting"> | undefined, projectKey: string): void {
  if (project === undefined || project.deleting) throw notFound(`project ${projectKey}`);
  if (project.projectType === "loaded")
    throw new ApiError(
      6040,
      `project ${projectKey} is of type loaded: its services are what stands in a cluster, and have no YAML here`,
    );
  if (project.projectType === "helm")
    throw new ApiError(6040, `project ${projectKey} is of type helm: its services are charts, not YAML`);
}
