import type * as z from "zod";
import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { Item } from "../../../shared/base/store/tableClient.ts";
import {
  type RegistryCredentials,
  sealCredentials,
  unsealCredentials,
} from "../../../shared/packaging/registries/credentials.ts";
import { registryProblems } from "../../../shared/packaging/registries/registryRules.ts";
import { scheduleRegistryRefresh } from "../../../shared/packaging/registries/scheduleRegistryRefresh.ts";
import {
  changeRegistry,
  findRegistry,
  type RegistryRecord,
} from "../../../shared/packaging/registries/store/registries.ts";
import { ecrFieldsOf } from "./ecrFields.ts";
import type { changedRegistry } from "./schemas.ts";

type Wanted = z.output<typeof changedRegistry>;

/**
 * Replaces what is shown of a registry; keys and certificate survive unless new ones are given (contract D 4.4). Pull
 * secrets follow when the login or where it is sent to changed.
 * @throws ApiError 404, or 400 for fields that do not fit each other
 */
export async function replaceRegistry(registryId: string, wanted: Wanted, actor: string): Promise<void> {
  const before = await findRegistry(registryId);
  if (before === undefined) throw notFound(`registry ${registryId}`);
  const { pk, sk, version, roleArn, externalId, scanOnPush, immutableTags, ...kept } = before;
  const { address, provider, namespace, region } = wanted;
  const after: RegistryRecord = {
    ...kept,
    ...{ address, provider, namespace, region },
    ...ecrFieldsOf(wanted, before),
    enableTls: wanted.enable_tls ?? before.enableTls,
    ...(await newCredentials(before, wanted)),
    updatedBy: actor,
    updatedTime: nowSeconds(),
  };
  const refresh = loginOf(before) !== loginOf(after);
  await changeRegistry(before, after, { wantsDefault: wanted.is_default, refresh });
  if (refresh) await scheduleRegistryRefresh(registryId);
}

/** Unseals only when something new was given or must be there. */
async function newCredentials(before: Item<RegistryRecord>, wanted: Wanted): Promise<Partial<RegistryRecord>> {
  const { access_key: accessKey, secret_key: secretKey, tls_cert: tlsCert } = wanted;
  const given = Object.entries({ accessKey, secretKey, tlsCert }).filter(
    ([, text]) => text !== undefined && text !== "",
  );
  const enableTls = wanted.enable_tls ?? before.enableTls;
  const stored = given.length > 0 || enableTls ? await unsealCredentials(before) : undefined;
  const merged = stored && ({ ...stored, ...Object.fromEntries(given) } satisfies RegistryCredentials);
  const hasKeys = merged === undefined ? before.hasKeys : merged.accessKey !== "" || merged.secretKey !== "";
  const ofEcr = ecrFieldsOf(wanted, before);
  const problems = registryProblems({
    ...wanted,
    ...{ hasKeys, enableTls, hasCertificate: filled(merged?.tlsCert) },
    roleArn: ofEcr.roleArn ?? wanted.role_arn ?? "",
    externalId: ofEcr.externalId ?? wanted.external_id ?? "",
  });
  if (problems.length > 0)
    throw badRequest(problems.map(({ field, problem }) => ({ in: "body", path: field, problem })));
  if (given.length === 0 || merged === undefined) return {};
  const credentials = await sealCredentials(before.registryId, merged);
  return { hasKeys, ...(credentials && { credentials }) };
}

/** Everything that a pull secret is made from; each sealing has a tag of its own. */
function loginOf({ address, provider, region, credentials, roleArn, externalId }: RegistryRecord): string {
  return JSON.stringify([address, provider, region, credentials?.tag, roleArn, externalId]);
}

function filled(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}
