import { at } from "../../../manifest/workloads.ts";
import type { JiraHook } from "./trigger.ts";

/** What Jira tells of, as jobs may use it: `{{.payload.trigger.issue}}`. */
export type JiraEvent = Readonly<
  Record<"event" | "issue" | "project" | "issue_type" | "status" | "summary" | "user", string>
>;

/** Reads the body of a webhook of Jira; what it does not say is empty. */
export function jiraEventOf(body: Readonly<Record<string, unknown>>): JiraEvent {
  const text = (...path: string[]): string => {
    const found = at(body, path);
    return typeof found === "string" ? found : "";
  };
  return {
    event: text("webhookEvent"),
    issue: text("issue", "key"),
    project: text("issue", "fields", "project", "key"),
    issue_type: text("issue", "fields", "issuetype", "name"),
    status: text("issue", "fields", "status", "name"),
    summary: text("issue", "fields", "summary"),
    user: text("user", "displayName"),
  };
}

export function listensTo({ events, projects }: Pick<JiraHook, "events" | "projects">, told: JiraEvent): boolean {
  const fits = (wanted: readonly string[], value: string) => wanted.length === 0 || wanted.includes(value);
  return fits(events, told.event) && fits(projects, told.project);
}
