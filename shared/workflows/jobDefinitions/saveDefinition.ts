import { ApiError, notFound } from "../../base/errors/apiError.ts";
import type { ErrorCode } from "../../base/errors/catalogue.ts";
import { newId, nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { conflictedOn } from "../../base/store/tableClient.ts";
import { requireProject } from "../../projects/store/projects.ts";
import { type SentKeyVals, sealCredentials } from "./credentials.ts";
import { ReferenceResolver } from "./referenceResolver.ts";
import type { Definition, DefinitionStore, VersionedDefinition } from "./store/definitionStore.ts";

/** A build, a test or a code scan as a caller wants it. */
export interface Wanted<Content extends object> {
  projectKey: string;
  name: string;
  /** @param before the stored one, when it is replaced @returns the content, and where its credentials may be */
  resolve(resolver: ReferenceResolver, before: Content | undefined): Promise<Resolved<Content>>;
}

export interface Resolved<Content extends object> {
  /** Without values of credentials. */
  content: Content;
  keyVals: readonly SentKeyVals[];
}

/** Which definitions, in words for messages, and the code of a refusal. */
export interface Sort<Content extends object> {
  store: DefinitionStore<Content>;
  noun: string;
  code: ErrorCode;
}

/**
 * @throws ApiError 404 for an unknown project; 400 for stars as a credential; `code` for a taken name and for references
 * to what does not exist
 */
export function createDefinition<Content extends object>(
  { store, noun, code }: Sort<Content>,
  wanted: Wanted<Content>,
  by: string,
): Promise<void> {
  const { projectKey, name } = wanted;
  const definitionId = newId();
  return retryOnConflict(async () => {
    await requireProject(projectKey);
    const resolver = new ReferenceResolver(projectKey);
    const { content, keyVals } = await wanted.resolve(resolver, undefined);
    const uses = resolver.finish(code);
    const secrets = await sealCredentials(definitionOwner(definitionId), keyVals, {});
    const now = nowSeconds();
    const times = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
    const secretFields = Object.keys(secrets);
    try {
      await store.create({ definitionId, projectKey, name, content, ...times, secretFields, uses }, secrets);
    } catch (error) {
      throw conflictedOn(error, "definition") ? new ApiError(code, `a ${noun} with the name ${name} exists`) : error;
    }
  });
}

/**
 * Replaces what can be edited; name and project stay, and credentials that are sent as stars.
 * @returns the definition as it is now
 * @throws ApiError 404; 400 for stars where nothing is stored; `code` for references to what does not exist
 */
export function replaceDefinition<Content extends object>(
  sort: Sort<Content>,
  wanted: Wanted<Content>,
  by: string,
): Promise<Definition<Content>> {
  const { store, code } = sort;
  return retryOnConflict(async () => {
    const before = await requireDefinition(sort, wanted.projectKey, wanted.name);
    const resolver = new ReferenceResolver(wanted.projectKey, before.uses);
    const { content, keyVals } = await wanted.resolve(resolver, before.content);
    const uses = resolver.finish(code);
    const stored = before.secretFields.length === 0 ? {} : await store.findSecrets(before);
    const secrets = await sealCredentials(definitionOwner(before.definitionId), keyVals, stored);
    const { version: _, ...kept } = before;
    const change = { content, uses, secretFields: Object.keys(secrets), updatedBy: by, updatedAt: nowSeconds() };
    const after = { ...kept, ...change };
    await store.change(before, after, secrets);
    return after;
  });
}

/** @throws ApiError 404 */
export async function requireDefinition<Content extends object>(
  { store, noun }: Pick<Sort<Content>, "store" | "noun">,
  projectKey: string,
  name: string,
): Promise<VersionedDefinition<Content>> {
  const found = await store.find(projectKey, name);
  if (found === undefined) throw notFound(`${noun} ${name} of project ${projectKey}`);
  return found;
}

/** What the secrets of a definition are bound to. */
export function definitionOwner(definitionId: string): string {
  return `definition:${definitionId}`;
}
