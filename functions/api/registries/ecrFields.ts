import type { RegistryRecord } from "../../../shared/packaging/registries/store/registries.ts";

interface Wanted {
  provider: string;
  role_arn?: string | undefined;
  external_id?: string | undefined;
  scan_on_push?: boolean | undefined;
  immutable_tags?: boolean | undefined;
}

type EcrFields = Pick<RegistryRecord, "roleArn" | "externalId" | "scanOnPush" | "immutableTags">;

/** What a record keeps for ecr alone; what is absent stays as it was before, an empty role is taken away. */
export function ecrFieldsOf(wanted: Wanted, before: EcrFields = {}): EcrFields {
  if (wanted.provider !== "ecr") return {};
  const roleArn = wanted.role_arn ?? before.roleArn ?? "";
  const externalId = wanted.external_id ?? (roleArn === "" ? "" : (before.externalId ?? ""));
  return {
    ...(roleArn !== "" && { roleArn }),
    ...(externalId !== "" && { externalId }),
    scanOnPush: wanted.scan_on_push ?? before.scanOnPush ?? true,
    immutableTags: wanted.immutable_tags ?? before.immutableTags ?? false,
  };
}
