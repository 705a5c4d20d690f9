import type { SealedSecret } from "../../base/aws/secrets/sealedSecret.ts";
import { mustBeOneOf, mustHaveVersion } from "../../base/store/conditions.ts";
import { type Key, keys, lists } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, named, overwrite, remove, replace, type Write } from "../../base/store/writes.ts";

/** Records that jobs refer to (decisions 7.7, 7.8). */
export type IntegrationKind =
  | "code-host"
  | "base-image"
  | "chart-repository"
  | "sonar"
  | "metric-server"
  | "dockerfile-template"
  | "mail-host"
  | "im-app"
  | "system-hook"
  | "release-plan-hook"
  | "jenkins"
  | "database"
  | "configuration"
  | "issue-tracker";

export interface Integration<Shown extends object, Kept extends object = object> {
  id: string;
  /** Unique among the records of its kind; lists are in its order. */
  name: string;
  /** What a list shows beside the id. */
  shown: Shown;
  /** What only the record itself brings. */
  kept: Kept;
  /** Fields whose secrets are stored. */
  secretFields: readonly string[];
}

export type ListedIntegration<Shown extends object> = Pick<Integration<Shown>, "id" | "shown">;

/** Sealed texts by field, each for `{ record: "<kind>:<id>", field }`. */
export type SealedFields = Readonly<Record<string, SealedSecret>>;

export interface IntegrationStore<Shown extends object, Kept extends object = object> {
  kind: IntegrationKind;
  key(id: string): Key;
  /** All of them by name. */
  list(): Promise<ListedIntegration<Shown>[]>;
  /** The first ones by name. */
  listFirst(most: number): Promise<ListedIntegration<Shown>[]>;
  find(id: string): Promise<Item<Integration<Shown, Kept>> | undefined>;
  findByName(name: string): Promise<Item<Integration<Shown, Kept>> | undefined>;
  /** @throws ConditionFailed "integration name" when it is taken */
  create(record: Integration<Shown, Kept>, secrets: SealedFields): Promise<void>;
  /**
   * Replaces what was read; secrets that are neither given nor among `secretFields` go.
   * @throws ConditionFailed when it changed, or was referred to, since; "integration name" when that is taken
   */
  change(before: Item<Integration<Shown, Kept>>, after: Integration<Shown, Kept>, secrets: SealedFields): Promise<void>;
  /** @throws ConditionFailed when it changed, or was referred to, since it was read */
  remove(before: Item<Integration<Shown, Kept>>): Promise<void>;
}

/** The records of one kind. `alsoCounted` is written with every record that comes (1) or goes (-1). */
export function integrationStore<Shown extends object, Kept extends object = object>(
  kind: IntegrationKind,
  alsoCounted?: (amount: 1 | -1) => Write,
): IntegrationStore<Shown, Kept> {
  type Stored = Integration<Shown, Kept>;
  const itemOf = ({ id, name, shown, kept, secretFields }: Stored) => ({
    ...keys.integration(kind, id),
    type: kind,
    ...{ id, name, shown, kept, secretFields },
    listPk: lists.integrations(kind),
    listSk: name,
    summary: { id, shown },
  });
  const takeName = ({ id, name }: Stored) =>
    named("integration name", create({ ...keys.integrationName(kind, name), type: "integration-name", id }));
  const freeName = ({ id, name }: Stored) => remove(keys.integrationName(kind, name), mustBeOneOf("id", [id]));
  const putSecrets = (id: string, secrets: SealedFields) =>
    Object.entries(secrets).map(([field, secret]) =>
      overwrite({ ...keys.integrationSecret(kind, id, field), type: "integration-secret", secret }),
    );
  const removeSecrets = (id: string, fields: readonly string[]) =>
    fields.map((field) => remove(keys.integrationSecret(kind, id, field)));
  const counted = (amount: 1 | -1) => (alsoCounted === undefined ? [] : [alsoCounted(amount)]);
  const list = async (limit?: number) => {
    const options = { index: "list", pk: lists.integrations(kind), ...(limit !== undefined && { limit }) } as const;
    const items = await table().query<{ summary: ListedIntegration<Shown> }>(options);
    return items.map(({ summary }) => summary);
  };

  return {
    kind,
    key: (id) => keys.integration(kind, id),
    list: () => list(),
    listFirst: list,
    find: (id) => table().get<Stored>(keys.integration(kind, id)),
    findByName: async (name) => {
      const taken = await table().get<{ id: string }>(keys.integrationName(kind, name));
      return taken === undefined ? undefined : table().get<Stored>(keys.integration(kind, taken.id));
    },
    create: (record, secrets) =>
      table().write(create(itemOf(record)), takeName(record), ...putSecrets(record.id, secrets), ...counted(1)),
    change: (before, after, secrets) => {
      const gone = before.secretFields.filter((field) => !after.secretFields.includes(field));
      const renaming = before.name === after.name ? [] : [takeName(after), freeName(before)];
      const ofSecrets = [...putSecrets(after.id, secrets), ...removeSecrets(after.id, gone)];
      return table().write(replace(itemOf(after), before.version), ...renaming, ...ofSecrets);
    },
    remove: (before) =>
      table().write(
        remove(keys.integration(kind, before.id), mustHaveVersion(before.version)),
        freeName(before),
        ...removeSecrets(before.id, before.secretFields),
        ...counted(-1),
      ),
  };
}
