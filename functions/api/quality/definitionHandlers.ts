import type { ErrorCode } from "../../../shared/base/errors/catalogue.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import type { DefinitionWarning } from "../../../shared/workflows/definition/warnings.ts";
import { pageOfDefinitions } from "../../../shared/workflows/jobDefinitions/pageOfDefinitions.ts";
import { removeDefinition } from "../../../shared/workflows/jobDefinitions/removeDefinition.ts";
import {
  createDefinition,
  replaceDefinition,
  requireDefinition,
  type Wanted,
} from "../../../shared/workflows/jobDefinitions/saveDefinition.ts";
import type {
  DefinitionStore,
  VersionedDefinition,
} from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";
import { taskOwnerOf } from "../../../shared/workflows/jobDefinitions/store/taskOwnerOf.ts";
import { dispatchTasks } from "../../../shared/workflows/tasks/dispatchTasks.ts";
import { cancelTasksOf } from "../../../shared/workflows/tasks/end/cancelTasksOf.ts";

interface Kind<Content extends object, Summary extends object, Body, Item, Shown> {
  store: DefinitionStore<Content, Summary>;
  noun: string;
  /** Of refusals. */
  codes: Record<"create" | "update" | "remove", ErrorCode>;
  wanted(body: Body): Wanted<Content>;
  warnings(body: Body): DefinitionWarning[];
  item(projectKey: string, summary: Summary): Item;
  shown(definition: VersionedDefinition<Content>): Shown;
}

interface Changing<Body> {
  body: Body;
  caller: Caller;
}

/** What the five endpoints do that tests and code scans have alike. */
export function definitionHandlers<Content extends object, Summary extends object, Body, Item, Shown>(
  kind: Kind<Content, Summary, Body, Item, Shown>,
) {
  const { store, noun, codes } = kind;
  return {
    create: async ({ body, caller }: Changing<Body>) => {
      const wanted = kind.wanted(body);
      await createDefinition({ store, noun, code: codes.create }, wanted, caller.name);
      return successWith(kind.warnings(body));
    },
    update: async ({ body, caller }: Changing<Body>) => {
      const wanted = kind.wanted(body);
      const changed = await replaceDefinition({ store, noun, code: codes.update }, wanted, caller.name);
      // A higher limit lets tasks begin that waited.
      if (store.kind !== "build") await dispatchTasks(taskOwnerOf(store.kind, changed));
      return successWith(kind.warnings(body));
    },
    remove: async ({ query }: { query: { projectKey: string; name: string } }) => {
      await removeDefinition({ store, noun, code: codes.remove }, query.projectKey, query.name, cancelTasksOf);
      return success;
    },
    list: async (query: { projectKey: string; pageNum: number; pageSize: number }) => {
      const { shown, total } = await pageOfDefinitions(store, query);
      return { total, items: shown.map((one) => kind.item(query.projectKey, one)) };
    },
    read: async (projectKey: string, name: string) =>
      kind.shown(await requireDefinition({ store, noun }, projectKey, name)),
  };
}
