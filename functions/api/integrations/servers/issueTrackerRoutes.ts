import * as z from "zod";
import { address, optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { isObject, madeRecord, plainName } from "../../../../shared/http/schemas.ts";
import { jiraAuthTypes } from "../../../../shared/integrations/store/issueTrackers.ts";
import { forProjects } from "../forProjects.ts";

const fields = z.object({
  type: z.literal("jira", "must be jira: other trackers are not called"),
  system_identity: plainName(),
  jira_host: address("jira_host", ["https", "http"]),
  jira_auth_type: z
    .enum(jiraAuthTypes, `must be one of ${jiraAuthTypes.join(", ")}`)
    .default("password_or_token")
    .meta({ description: "password_or_token takes jira_user and jira_token" }),
  jira_user: optionalLine(255).default(""),
  jira_token: secretLine().default(""),
  jira_personal_access_token: secretLine().default(""),
  projects: forProjects,
});

export const newIssueTracker = fields.superRefine(
  (body, context) => {
    for (const field of wantedOf(body))
      if (!(body as Record<string, unknown>)[field])
        context.addIssue({ code: "custom", path: [field], message: `${field} cannot be empty` });
  },
  { when: isObject },
);

/** Fields that a way to authenticate cannot do without. */
function wantedOf({ jira_auth_type: type }: { jira_auth_type?: unknown }): string[] {
  return type === "personal_access_token" ? ["jira_personal_access_token"] : ["jira_user", "jira_token"];
}

export const issueTracker = z
  .object({
    ...{ id: z.string(), type: z.string(), system_identity: z.string(), jira_host: z.string() },
    ...{ jira_auth_type: z.string(), jira_user: z.string(), projects: z.array(z.string()) },
  })
  .meta({ id: "IssueTracker" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/project_management",
    idForm: "hex",
    tag: "Issue trackers",
    function: "Issue Tracker",
    noun: "an issue tracker",
    nouns: "issue trackers",
    nameField: "system_identity",
  },
  {
    added: newIssueTracker,
    // Secrets stay when they are absent or empty.
    changed: fields,
    listed: z.array(issueTracker),
    shown: issueTracker,
    made: madeRecord,
  },
);

export const issueTrackerRoutes = {
  listIssueTrackers: routes.list,
  addIssueTracker: routes.add,
  getIssueTracker: routes.read,
  updateIssueTracker: routes.change,
  deleteIssueTracker: routes.remove,
};
