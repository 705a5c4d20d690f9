import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { prepareService } from "../../../shared/projects/services/prepareService.ts";
import { filledTemplate } from "../../../shared/projects/services/rules/templateContent.ts";
import type { YamlTemplate } from "../../../shared/projects/services/store/yamlTemplates.ts";
import * as store from "../../../shared/projects/services/store/yamlTemplates.ts";
import { type SyncOutcome, syncTemplate } from "../../../shared/projects/services/syncTemplate.ts";

type Content = Pick<YamlTemplate, "name" | "content" | "variables">;

/** The list shows the variables of every template, so they stay small. */
const maxVariableBytes = 64 * 1024;
/** Any service would do; what its text lacks, another one's would lack too. */
const sample = { projectKey: "project", name: "service" };

/**
 * A template as it is stored: its variables are the given ones, then those that the text asks for (contract P 12.1).
 * @throws ApiError 6045 when no service can be made of it
 */
function prepareTemplate({ name, content, variables: given }: Content): Content {
  const { variables } = prepareService({ yaml: filledTemplate(content, sample), variables: given });
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes > maxVariableBytes)
    throw new ApiError(6045, `the variables have ${bytes} bytes; at most ${maxVariableBytes} are allowed`);
  return { name, content, variables };
}

type Wanted = Pick<store.YamlTemplate, "name" | "content" | "variables">;

/** @returns the new template's id @throws ApiError 6040 for a taken name, 6045 */
export async function createTemplate(wanted: Wanted, by: string): Promise<string> {
  const now = nowSeconds();
  const times = { createdBy: by, updatedBy: by, createdAt: now, updatedAt: now };
  const template = { templateId: newId(), ...prepareTemplate(wanted), ...times };
  await nameIsFree(6040, wanted.name, () => store.createTemplate(template));
  return template.templateId;
}

/**
 * Replaces a template and brings the services that follow it up to it.
 * @throws ApiError 404; 6041 for a taken name; 6045; ConditionFailed when another change came first
 */
export async function replaceTemplate(templateId: string, wanted: Wanted, by: string): Promise<SyncOutcome> {
  const before = await requireTemplate(templateId);
  const after = { ...before, ...prepareTemplate(wanted), updatedBy: by, updatedAt: nowSeconds() };
  await nameIsFree(6041, wanted.name, () => store.changeTemplate(before, after));
  return syncTemplate(templateId);
}

/** Like a change that changes nothing: everything that follows is looked at again. @throws as `replaceTemplate` */
export async function applyTemplate(templateId: string, by: string): Promise<SyncOutcome> {
  const before = await requireTemplate(templateId);
  await store.changeTemplate(before, { ...before, updatedBy: by });
  return syncTemplate(templateId);
}

/** @throws ApiError 404 */
export async function requireTemplate(templateId: string): Promise<store.VersionedTemplate> {
  const template = await store.findTemplate(templateId);
  if (template === undefined) throw notFound(`template ${templateId}`);
  return template;
}

async function nameIsFree(code: 6040 | 6041, name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw conflictedOn(error, "template name") ? new ApiError(code, `a template with the name ${name} exists`) : error;
  }
}
