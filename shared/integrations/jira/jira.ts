import * as z from "zod";
import { callServer, jsonAnswer, type Server } from "../server/callServer.ts";
import { ServerRefused } from "../server/serverErrors.ts";

/** What authenticates requests to Jira: a user with a password or token, or a personal access token. */
export function jiraServer({ host, user, token }: { host: string; user: string | undefined; token: string }): Server {
  const authorization =
    user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
  return {
    name: "Jira",
    address: host,
    headers: { authorization, accept: "application/json", "content-type": "application/json" },
  };
}

export interface JiraIssue {
  key: string;
  name: string;
  status: string;
}

const issueAnswer = z.object({
  key: z.string(),
  fields: z.object({ summary: z.string().nullish(), status: z.object({ name: z.string() }) }),
});
const searchAnswer = z.object({ issues: z.array(issueAnswer) });
const transitionsAnswer = z.object({
  transitions: z.array(z.object({ id: z.string(), to: z.object({ name: z.string() }) })),
});
const fields = "summary,status";
/** Of a search, as many issues as one answer has. */
export const mostIssues = 100;

/** @throws ServerRefused, ServerUnavailable */
export async function readIssue(jira: Server, key: string): Promise<JiraIssue> {
  const what = `issue ${key}`;
  const answer = await callServer(jira, `rest/api/2/issue/${encodeURIComponent(key)}?fields=${fields}`, { what });
  return issueOf(jsonAnswer(jira, answer, issueAnswer, what));
}

/** Issues that a query of JQL finds, the first ones. Jira Cloud has moved its search, and answers the old one with 410. */
export async function searchIssues(jira: Server, jql: string): Promise<JiraIssue[]> {
  const what = `issues by ${jql}`;
  const query = new URLSearchParams({ jql, fields, maxResults: String(mostIssues) });
  const older = await callServer(jira, `rest/api/2/search?${query}`, { what, accepts: [400, 404, 410] });
  const isMoved = older.status === 404 || older.status === 410;
  const answer = isMoved ? await callServer(jira, `rest/api/3/search/jql?${query}`, { what, accepts: [400] }) : older;
  if (answer.status === 400) throw new ServerRefused(`Jira does not take the query ${jql}: ${saidIn(answer.body)}`);
  return jsonAnswer(jira, answer, searchAnswer, what).issues.map(issueOf);
}

/** Moves an issue by the transition that leads to a status, whose name may be written in any case. */
export async function moveIssue(jira: Server, { key, status }: JiraIssue, target: string): Promise<void> {
  const path = `rest/api/2/issue/${encodeURIComponent(key)}/transitions`;
  const what = `the transitions of issue ${key}`;
  const { transitions } = jsonAnswer(jira, await callServer(jira, path, { what }), transitionsAnswer, what);
  const found = transitions.find(({ to }) => isStatus(to.name, target));
  if (found === undefined) {
    const others = transitions.map(({ to }) => to.name).join(", ") || "nowhere";
    throw new ServerRefused(`no transition leads issue ${key} from ${status} to ${target}; it can go to ${others}`);
  }
  const body = JSON.stringify({ transition: { id: found.id } });
  const answer = await callServer(jira, path, {
    what: `to move issue ${key}`,
    method: "POST",
    body,
    accepts: [400, 409],
  });
  if (answer.status >= 400)
    throw new ServerRefused(`Jira does not move issue ${key} to ${target}: ${saidIn(answer.body)}`);
}

export function isStatus(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function issueOf({ key, fields: { summary, status } }: z.output<typeof issueAnswer>): JiraIssue {
  return { key, name: summary ?? "", status: status.name };
}

const problems = z.object({
  errorMessages: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.string()).default({}),
});

function saidIn(body: Buffer): string {
  try {
    const { errorMessages, errors } = problems.parse(JSON.parse(body.toString("utf8")));
    const ofFields = Object.entries(errors).map(([field, text]) => `${field}: ${text}`);
    return [...errorMessages, ...ofFields].join("; ").slice(0, 500) || "it says nothing";
  } catch {
    return "it says nothing";
  }
}
