import { deleteConfig, openNacos, publishConfig, readConfig } from "../../../integrations/nacos/nacos.ts";
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
import type { NacosRun } from "./planner.ts";

/** A configuration has one text. */
const key = "content";

/** Publishes configurations of Nacos, their difference first; what fails takes back what was published (contract W 5). */
export const runner = outsideRunner<ConfigurationState>({
  prepare: async ({ spec }) => ({ nacos_datas: spec.nacos_datas }),
  work: async (run, outside) =>
    changeConfigurations(run, outside, await placesOf(run, outside), (at, error) => {
      const datas = treesOf(outside.result.nacos_datas);
      outside.result = {
        ...outside.result,
        nacos_datas: datas.map((data, of) => (of === at ? { ...data, error } : data)),
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
  const { serverId, namespaceId: tenant, datas } = run as unknown as NacosRun;
  const record = await openIntegration(configurationSort, serverId, task.owner.projectKey);
  outside.hide(record.secrets);
  const { serverAddress: address, user } = record.shown;
  const nacos = await openNacos({ address, user, password: record.secretOf("password") });
  return datas.map(({ dataId, group, format, content }) => {
    const place = { dataId, group, tenant };
    return {
      name: `${group}/${dataId}`,
      wanted: { [key]: content },
      read: async () => ({ [key]: await readConfig(nacos, place) }),
      write: async ({ [key]: text }) =>
        text === undefined ? deleteConfig(nacos, place) : publishConfig(nacos, place, { content: text, type: format }),
    };
  });
}
