import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import { mustHaveVersion } from "../../../base/store/conditions.ts";
import { type Key, keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import type { RecordUser } from "../../../base/store/uses.ts";
import { create, named, overwrite, remove, replace, type Write } from "../../../base/store/writes.ts";
import { type DefinitionKind, definitionJoins, definitionLeaves } from "../../../projects/store/projects.ts";
import { removeTestCases } from "../../../reports/statistics/store/testCases.ts";
import { changeHead, createHead, removeHead } from "../../records/taskHeads.ts";
import { changeUses } from "./changeUses.ts";
import type { NamedUse } from "./namedUse.ts";
import { taskOwnerOf } from "./taskOwnerOf.ts";

/** A build, a test or a code scan: what belongs to a project and says what jobs do. */
export interface Definition<Content extends object> {
  /** 24 hex characters; one made again under its name has another. */
  definitionId: string;
  projectKey: string;
  name: string;
  content: Content;
  createdBy: string;
  /** Unix seconds. */
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
  /** Fields whose secrets are stored, apart from it. */
  secretFields: readonly string[];
  /** Records that the content refers to. */
  uses: readonly NamedUse[];
}

/** A definition as it was read: `version` is what a change of it must still meet. */
export interface VersionedDefinition<Content extends object> extends Definition<Content> {
  version: number;
}

/** Sealed texts by field, each for `{ record: "definition:<id>", field }`. */
export type SealedFields = Readonly<Record<string, SealedSecret>>;

interface Shape<Content extends object, Shown extends object> {
  /** Whether a name is taken in the whole installation, not in its project alone. */
  uniqueEverywhere: boolean;
  /** What lists show. */
  summary(definition: Definition<Content>): Shown;
  /** Lists are in its order. */
  sortKey(definition: Definition<Content>): string;
  /** Whether lists begin at the end of that order. */
  descending: boolean;
  /** Of a kind that runs as tasks of its own: how many at once; -1 and 0 are no limit (contract W 8.4). */
  tasksAtOnce?(content: Content): number;
}

/** The definitions of one kind; what they refer to is noted with every change. */
export interface DefinitionStore<Content extends object, Shown extends object = object> {
  kind: DefinitionKind;
  key(projectKey: string, name: string): Key;
  find(projectKey: string, name: string): Promise<VersionedDefinition<Content> | undefined>;
  /** Those of the names that exist, as they were a moment ago, in one round trip. */
  findMany(projectKey: string, names: readonly string[]): Promise<VersionedDefinition<Content>[]>;
  /** Sealed secrets by field. */
  findSecrets(definition: Pick<Definition<Content>, "projectKey" | "name">): Promise<SealedFields>;
  /** The first ones of a project, in the order of its list. */
  listFirst(projectKey: string, most: number): Promise<Shown[]>;
  /** All of a project, in the order of its list. */
  list(projectKey: string): Promise<Shown[]>;
  /**
   * @throws ConditionFailed "definition" when the name is taken, in the project or in the installation; others when the
   * project or something that is referred to is gone
   */
  create(definition: Definition<Content>, secrets: SealedFields): Promise<void>;
  /** @throws ConditionFailed when it changed, or was referred to, since it was read, or what it refers to is gone */
  change(before: VersionedDefinition<Content>, after: Definition<Content>, secrets: SealedFields): Promise<void>;
  /** @throws ConditionFailed when it changed, or was referred to, since it was read */
  remove(before: VersionedDefinition<Content>): Promise<void>;
}

type Stored<Content extends object> = Omit<Definition<Content>, "content"> & { text: StoredText };

export function definitionStore<Content extends object, Shown extends object>(
  kind: DefinitionKind,
  shape: Shape<Content, Shown>,
): DefinitionStore<Content, Shown> {
  const toItem = async (definition: Definition<Content>) => {
    const { content, ...record } = definition;
    const { definitionId, projectKey, name, createdBy, createdAt, updatedBy, updatedAt, secretFields, uses } = record;
    return {
      ...keys.definition(kind, projectKey, name),
      type: kind,
      ...{ definitionId, projectKey, name, createdBy, createdAt, updatedBy, updatedAt, secretFields, uses },
      text: await storeText(JSON.stringify(content)),
      listPk: lists.definitions(kind, projectKey),
      listSk: shape.sortKey(definition),
      summary: shape.summary(definition),
    };
  };
  const namesOf = ({ projectKey, name }: DefinitionName): Key[] => [
    ...(shape.uniqueEverywhere ? [keys.definitionName(kind, name)] : []),
    keys.definitionOfProject(projectKey, kind, name),
  ];
  const putSecrets = ({ projectKey, name }: DefinitionName, sealed: SealedFields): Write =>
    overwrite({ ...keys.definitionSecrets(kind, projectKey, name), type: "definition-secrets", sealed });
  const headWrites = (write: typeof createHead, definition: Definition<Content>): Write[] => {
    if (kind === "build" || shape.tasksAtOnce === undefined) return [];
    const most = shape.tasksAtOnce(definition.content);
    return [write(taskOwnerOf(kind, definition), most > 0 ? most : undefined)];
  };
  const listed = async (projectKey: string, limit?: number): Promise<Shown[]> => {
    const options = { index: "list", pk: lists.definitions(kind, projectKey), descending: shape.descending } as const;
    const items = await table().query<{ summary: Shown }>({ ...options, ...(limit !== undefined && { limit }) });
    return items.map(({ summary }) => summary);
  };

  return {
    kind,
    key: (projectKey, name) => keys.definition(kind, projectKey, name),
    find: async (projectKey, name) => {
      const item = await table().get<Stored<Content>>(keys.definition(kind, projectKey, name));
      return item && toDefinition(item);
    },
    findMany: async (projectKey, names) => {
      const wanted = names.map((name) => keys.definition(kind, projectKey, name));
      const items = await table().getMany<Stored<Content>>(wanted, { consistent: false });
      return Promise.all(items.map((item) => toDefinition(item)));
    },
    findSecrets: async ({ projectKey, name }) => {
      const key = keys.definitionSecrets(kind, projectKey, name);
      return (await table().get<{ sealed: SealedFields }>(key))?.sealed ?? {};
    },
    listFirst: listed,
    list: (projectKey) => listed(projectKey),
    create: async (definition, secrets) => {
      const { projectKey, name } = definition;
      await table().write(
        ...[
          create(await toItem(definition)),
          ...namesOf(definition).map((key) => create({ ...key, type: "definition-name", kind, projectKey, name })),
        ].map((write) => named("definition", write)),
        definitionJoins(projectKey, kind),
        putSecrets(definition, secrets),
        ...headWrites(createHead, definition),
        ...changeUses([], definition.uses, userOf(kind, definition)),
      );
    },
    change: async (before, after, secrets) => {
      await table().write(
        replace(await toItem(after), before.version),
        putSecrets(after, secrets),
        ...headWrites(changeHead, after),
        ...changeUses(before.uses, after.uses, userOf(kind, after)),
      );
    },
    remove: async (before) => {
      const { projectKey, name, version } = before;
      await table().write(
        remove(keys.definition(kind, projectKey, name), mustHaveVersion(version)),
        remove(keys.definitionSecrets(kind, projectKey, name)),
        ...namesOf(before).map((key) => remove(key)),
        definitionLeaves(projectKey, kind),
        ...headWrites(removeHead, before),
        ...changeUses(before.uses, [], userOf(kind, before)),
      );
      if (kind === "test") await removeTestCases(projectKey, name);
    },
  };
}

type DefinitionName = Pick<Definition<object>, "projectKey" | "name">;

const userKinds = { build: "build", test: "test", scan: "code scan" } as const;

/** A definition as records that it refers to know it. */
export function userOf(kind: DefinitionKind, { projectKey, name }: DefinitionName): RecordUser {
  return { kind: userKinds[kind], projectKey, name };
}

async function toDefinition<Content extends object>(
  item: Item<Stored<Content>>,
): Promise<VersionedDefinition<Content>> {
  const { definitionId, projectKey, name, createdBy, createdAt, updatedBy, updatedAt, secretFields, uses } = item;
  const content = JSON.parse(await readStoredText(item.text)) as Content;
  return {
    ...{ definitionId, projectKey, name, content, createdBy, createdAt, updatedBy, updatedAt, secretFields, uses },
    version: item.version,
  };
}
