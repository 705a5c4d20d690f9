import {
  apolloPortal,
  deleteItem,
  namedApollo,
  readItems,
  release,
  setItem,
} from "../../../integrations/apollo/apollo.ts";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import { treesOf } from "../../../manifest/tree.ts";
import {
  type ConfigurationPlace,
  type ConfigurationState,
  changeConfigurations,
  takeBack,
} from "../configuration/changeConfigurations.ts";
import { configurationSort } from "../configuration/configurationServer.ts";
import { openIntegration } from "../outside/openIntegration.ts";
import { outsideRunner } from "../outside/outsideRunner.ts";
import type { OutsideWork } from "../outside/outsideWork.ts";
import type { JobRun } from "../runner.ts";
import type { ApolloRun } from "./planner.ts";

/** Who changes something where the integration names no user: Apollo has this one from the beginning. */
const ownUser = "apollo";

/** Sets keys of namespaces of Apollo, their difference first, and releases them; what fails takes back what was released (contract W 5). */
export const runner = outsideRunner<ConfigurationState>({
  prepare: async ({ spec }) => ({ namespaceList: spec.namespaceList }),
  work: async (run, outside) =>
    changeConfigurations(run, outside, await placesOf(run, outside), (at, error) => {
      const list = treesOf(outside.result.namespaceList);
      outside.result = {
        ...outside.result,
        namespaceList: list.map((one, of) => (of === at ? { ...one, error } : one)),
      };
    }),
  stop: async (run, outside) => {
    if (outside.state.begun !== undefined) await takeBack(outside, await placesOf(run, outside));
  },
});

async function placesOf(
  { run, task }: JobRun,
  outside: OutsideWork<ConfigurationState>,
): Promise<ConfigurationPlace[]> {
  const { serverId, namespaces } = run as unknown as ApolloRun;
  const record = await openIntegration(configurationSort, serverId, task.owner.projectKey);
  outside.hide(record.secrets);
  const apollo = apolloPortal({ address: record.shown.serverAddress, token: record.secretOf("token") });
  const user = record.shown.user || ownUser;
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
}
