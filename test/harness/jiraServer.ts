import { setTimeout as delay } from "node:timers/promises";
import { type Answered, startLoopbackServer } from "./loopbackServer.ts";

interface Issue {
  summary: string;
  status: string;
}

/** From which status which transition leads where. */
const transitions: Readonly<Record<string, readonly { id: string; name: string; to: { name: string } }[]>> = {
  Open: [
    { id: "11", name: "Start", to: { name: "In Progress" } },
    { id: "21", name: "Resolve", to: { name: "Done" } },
  ],
  "In Progress": [{ id: "21", name: "Resolve", to: { name: "Done" } }],
  Done: [],
};

/** Jira's REST API on loopback, as its documentation says it answers; `cloud` has moved its search. */
export async function startJiraServer(
  authorizations: readonly string[],
  issues: Record<string, Issue>,
  { cloud = false } = {},
) {
  const moved: string[] = [];
  const asked: string[] = [];
  const faults: { status?: number | undefined; slowMilliseconds?: number | undefined } = {};
  const shown = (key: string) => ({
    ...{ id: "10000", key, self: `https://jira.example.com/rest/api/2/issue/${key}` },
    fields: { summary: issues[key]?.summary, status: { id: "1", name: issues[key]?.status } },
  });
  const search = (jql: string): Answered => {
    if (jql.includes("(")) return [400, { errorMessages: ["Error in the JQL Query: Expecting ')'"], errors: {} }];
    const [, status = ""] = /status = "([^"]*)"/.exec(jql) ?? [];
    return [
      200,
      {
        issues: Object.keys(issues)
          .filter((key) => issues[key]?.status === status)
          .map(shown),
      },
    ];
  };
  const server = await startLoopbackServer(async ({ method, url, headers, body }): Promise<Answered> => {
    if (!authorizations.includes(headers.authorization ?? "")) return [401, "Unauthorized"];
    asked.push(url.pathname);
    if (faults.status !== undefined) return [faults.status, ""];
    if (faults.slowMilliseconds !== undefined) await delay(faults.slowMilliseconds);
    const jql = url.searchParams.get("jql") ?? "";
    if (url.pathname === "/jira/rest/api/2/search")
      return cloud ? [410, { errorMessages: ["The requested API has been removed."] }] : search(jql);
    if (url.pathname === "/jira/rest/api/3/search/jql" && cloud) return search(jql);
    const [, key = "", rest] = /^\/jira\/rest\/api\/2\/issue\/([^/]+)(\/transitions)?$/.exec(url.pathname) ?? [];
    const issue = issues[key];
    if (issue === undefined)
      return [404, { errorMessages: ["Issue does not exist or you do not have permission to see it."], errors: {} }];
    if (rest === undefined) return [200, shown(key)];
    const own = transitions[issue.status] ?? [];
    if (method === "GET") return [200, { expand: "transitions", transitions: own }];
    const chosen = own.find(({ id }) => id === JSON.parse(body).transition?.id);
    if (chosen === undefined)
      return [400, { errorMessages: ["It seems that you have tried to perform a workflow operation"], errors: {} }];
    if (issue.summary === "screened")
      return [400, { errorMessages: [], errors: { resolution: "Resolution is required." } }];
    issue.status = chosen.to.name;
    moved.push(`${key} ${chosen.to.name}`);
    return [204];
  });
  return { ...server, url: `${server.url}/jira`, moved, asked, faults };
}
