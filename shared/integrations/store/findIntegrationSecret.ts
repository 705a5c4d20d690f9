import type { SealedSecret } from "../../base/aws/secrets/sealedSecret.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { IntegrationKind } from "./integrationStore.ts";

/** A sealed field of a record that jobs or notifications refer to; it is bound to `{ record: "<kind>:<id>", field }`. */
export async function findIntegrationSecret(
  kind: IntegrationKind,
  id: string,
  field: string,
): Promise<SealedSecret | undefined> {
  return (await table().get<{ secret: SealedSecret }>(keys.integrationSecret(kind, id, field)))?.secret;
}
