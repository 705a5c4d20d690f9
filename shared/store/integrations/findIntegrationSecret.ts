import type { SealedSecret } from "../../clients/secrets/sealedSecret.ts";
import { keys } from "../keys.ts";
import { table } from "../theTable.ts";
import type { IntegrationKind } from "./integrationStore.ts";

/** A sealed field of a record that jobs or notifications refer to; it is bound to `{ record: "<kind>:<id>", field }`. */
export async function findIntegrationSecret(
  kind: IntegrationKind,
  id: string,
  field: string,
): Promise<SealedSecret | undefined> {
  return (await table().get<{ secret: SealedSecret }>(keys.integrationSecret(kind, id, field)))?.secret;
}
