import type * as z from "zod";
import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { newId } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { sealCredentials } from "../../../shared/workflows/jobDefinitions/credentials.ts";
import { ReferenceResolver } from "../../../shared/workflows/jobDefinitions/referenceResolver.ts";
import { requireUnused } from "../../../shared/workflows/jobDefinitions/requireUnused.ts";
import { resolveBuildScript } from "../../../shared/workflows/jobDefinitions/resolveBuildScript.ts";
import * as store from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import type { SealedFields } from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";
import type { NamedUse } from "../../../shared/workflows/jobDefinitions/store/namedUse.ts";
import type { newBuildTemplate } from "./templateRoutes.ts";

type Wanted = z.output<typeof newBuildTemplate>;

/** @returns the new template's id @throws ApiError 400 for a taken name and for references to what does not exist */
export async function addTemplate(wanted: Wanted): Promise<string> {
  const id = newId();
  await retryOnConflict(async () => {
    const { template, secrets } = await resolved(id, wanted, [], {});
    await nameIsFree(wanted.name, () => store.createBuildTemplate(template, secrets));
  });
  return id;
}

/** @throws ApiError 404; 400 as `addTemplate`, and for stars where no credential is stored */
export function changeTemplate(id: string, wanted: Wanted): Promise<void> {
  return retryOnConflict(async () => {
    const before = await requireTemplate(id);
    const stored = before.secretFields.length === 0 ? {} : await store.findBuildTemplateSecrets(id);
    const { template, secrets } = await resolved(id, wanted, before.uses, stored);
    await nameIsFree(wanted.name, () => store.changeBuildTemplate(before, template, secrets));
  });
}

/**
 * Deletes a template; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 400 while a build is made from it, naming the builds (decisions 7.7)
 */
export function removeTemplate(id: string): Promise<void> {
  return retryOnConflict(async () => {
    const found = await store.findBuildTemplate(id);
    if (found === undefined) return;
    await requireUnused("the build template", { key: store.buildTemplates.key(id) });
    await store.removeBuildTemplate(found);
  });
}

/** @throws ApiError 404 */
export async function requireTemplate(id: string): Promise<store.VersionedBuildTemplate> {
  const found = await store.findBuildTemplate(id);
  if (found === undefined) throw notFound(`build template ${id}`);
  return found;
}

async function resolved(id: string, { name, script }: Wanted, before: readonly NamedUse[], stored: SealedFields) {
  const resolver = new ReferenceResolver(undefined, before);
  const content = await resolveBuildScript(resolver, script);
  const uses = resolver.finish(400);
  const sent = [{ scope: "", path: "parameters", keyVals: script.keyVals }];
  const secrets = await sealCredentials(`build-template:${id}`, sent, stored);
  return { template: { id, name, content, uses, secretFields: Object.keys(secrets) }, secrets };
}

async function nameIsFree(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!conflictedOn(error, "build template name")) throw error;
    throw badRequest([{ in: "body", path: "name", problem: `a build template with the name ${name} exists` }]);
  }
}
