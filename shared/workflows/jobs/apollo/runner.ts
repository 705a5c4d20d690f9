import {
  apolloPortal,
  deleteItem,
  namedApollo,
  readItems,
  release,
  setItem,
} from "../../../integrations/apollo/apollo.ts";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import { configurationRunner } from "../configuration/changeConfigurations.ts";
import type { ApolloRun } from "./planner.ts";

/** Who changes something where the integration names no user: Apollo has this one from the beginning. */
const ownUser = "apollo";

/** Sets keys of namespaces of Apollo, and releases them. */
export const runner = configurationRunner("namespaceList", ({ run, task }, { shown, secretOf }) => {
  const { namespaces } = run as unknown as ApolloRun;
  const apollo = apolloPortal({ address: shown.serverAddress, token: secretOf("token") });
  const user = shown.user || ownUser;
  const { owner, taskId } = task;
  const title = `${owner.key} #${taskId}`;
  const comment = taskUrl(owner, taskId);
  return namespaces.map(({ values: wanted, ...place }) => ({
    name: namedApollo(place),
    wanted,
    read: async () => {
      const items = await readItems(apollo, place);
      return Object.fromEntries(Object.keys(wanted).map((key) => [key, items.get(key)]));
    },
    write: async (texts) => {
      for (const [key, value] of Object.entries(texts))
        await (value === undefined
          ? deleteItem(apollo, place, { key, user })
          : setItem(apollo, place, { key, value, user }));
      await release(apollo, place, { title, comment, user });
    },
  }));
});
