import { deleteConfig, openNacos, publishConfig, readConfig } from "../../../integrations/nacos/nacos.ts";
import { configurationRunner } from "../configuration/changeConfigurations.ts";
import type { NacosRun } from "./planner.ts";

/** A configuration has one text. */
const key = "content";

/** Publishes configurations of Nacos. */
export const runner = configurationRunner("nacos_datas", async ({ run }, { shown, secretOf }) => {
  const { namespaceId: tenant, datas } = run as unknown as NacosRun;
  const nacos = await openNacos({ address: shown.serverAddress, user: shown.user, password: secretOf("password") });
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
});
