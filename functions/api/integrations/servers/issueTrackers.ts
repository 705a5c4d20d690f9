import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { issueTrackers } from "../../../../shared/integrations/store/issueTrackers.ts";
import { requireSecret } from "../requireSecret.ts";
import type { issueTrackerRoutes, newIssueTracker } from "./issueTrackerRoutes.ts";

const sort = { noun: "issue tracker", nameField: "system_identity", records: issueTrackers };

type Wanted = z.output<typeof newIssueTracker>;

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { system_identity, jira_host, jira_auth_type, jira_user, projects, ...secrets }: Wanted, before) => {
    const isPersonal = jira_auth_type === "personal_access_token";
    const field = isPersonal ? "jira_personal_access_token" : "jira_token";
    requireSecret(field, field, secrets[field], before);
    const shown = {
      ...{ systemIdentity: system_identity, host: jira_host, authType: jira_auth_type },
      ...{ user: isPersonal ? "" : jira_user, projects },
    };
    return { id, name: system_identity, shown, kept: {}, secretFields: [field] };
  },
  secretsOf: ({ jira_auth_type, jira_token, jira_personal_access_token }): Record<string, string> =>
    jira_auth_type === "personal_access_token" ? { jira_personal_access_token } : { jira_token },
  answerOf: ({ id, shown: { systemIdentity, host, authType, user, projects } }) => ({
    ...{ id, type: "jira", system_identity: systemIdentity, jira_host: host, jira_auth_type: authType },
    ...{ jira_user: user, projects: [...projects] },
  }),
});

export const issueTrackerHandlers: Handlers<typeof issueTrackerRoutes> = {
  listIssueTrackers: list,
  addIssueTracker: add,
  getIssueTracker: read,
  updateIssueTracker: change,
  deleteIssueTracker: remove,
};
