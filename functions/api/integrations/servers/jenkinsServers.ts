import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { jenkinsServers } from "../../../../shared/integrations/store/jenkinsServers.ts";
import type { jenkinsRoutes, newJenkinsServer } from "./jenkinsRoutes.ts";

const sort = { noun: "Jenkins server", nameField: "name", records: jenkinsServers };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { name, url, username, projects }: z.output<typeof newJenkinsServer>) => {
    return { id, name, shown: { name, url, username, projects }, kept: {}, secretFields: ["password"] };
  },
  secretsOf: ({ password }) => ({ password }),
  answerOf: ({ id, shown }) => ({ id, type: "jenkins", ...shown, projects: [...shown.projects] }),
});

export const jenkinsHandlers: Handlers<typeof jenkinsRoutes> = {
  listJenkinsServers: list,
  addJenkinsServer: add,
  getJenkinsServer: read,
  updateJenkinsServer: change,
  deleteJenkinsServer: remove,
};
