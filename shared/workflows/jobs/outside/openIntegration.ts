import { unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { findIntegrationSecret } from "../../../integrations/store/findIntegrationSecret.ts";
import type { Integration, IntegrationKind } from "../../../integrations/store/integrationStore.ts";
import { type ForProjects, type OutsideSort, usableIntegration } from "./plannedIntegration.ts";

/** An integration with what authenticates at it; a secret that it lacks is empty. */
export interface OpenIntegration<Shown extends object, Kept extends object> extends Integration<Shown, Kept> {
  secretOf(field: string): string;
  secrets: readonly string[];
}

/** The record that a job uses, with its secrets: in memory only. @throws ServerRefused in words for users */
export async function openIntegration<Shown extends ForProjects, Kept extends object>(
  sort: OutsideSort<Shown, Kept>,
  id: string,
  projectKey: string,
): Promise<OpenIntegration<Shown, Kept>> {
  const record = await usableIntegration(sort, id, projectKey);
  const read = record.secretFields.map(async (field) => [field, await secretOf(sort.records.kind, id, field)] as const);
  const secrets = new Map(await Promise.all(read));
  return { ...record, secretOf: (field) => secrets.get(field) ?? "", secrets: [...secrets.values()] };
}

async function secretOf(kind: IntegrationKind, id: string, field: string): Promise<string> {
  const sealed = await findIntegrationSecret(kind, id, field);
  return sealed === undefined ? "" : unseal(sealed, { record: `${kind}:${id}`, field });
}
