import { integrationStore } from "./integrationStore.ts";

export const jiraAuthTypes = ["password_or_token", "personal_access_token"] as const;

/**
 * A Jira whose issues workflows move. Its sealed field is `jira_token`, the password or token of its user, or
 * `jira_personal_access_token`.
 */
export interface IssueTracker {
  systemIdentity: string;
  host: string;
  authType: (typeof jiraAuthTypes)[number];
  user: string;
  /** Keys of the projects whose workflows may use it, or `<all_projects>`. */
  projects: readonly string[];
}

export const issueTrackers = integrationStore<IssueTracker>("issue-tracker");
