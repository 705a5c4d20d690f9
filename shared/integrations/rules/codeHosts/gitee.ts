import { parsedJson } from "../../../base/common/parsedJson.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { escapedPath, githubEvent, githubRepository } from "./githubFamily.ts";
import type { AskHost, CodeHostProvider, CommitState, HostStatus } from "./provider.ts";
import type { Change } from "./pullRequestEvent.ts";
import { type Tree, text } from "./tree.ts";

/** Gitee, whose commits have check runs in the place of statuses. Source: https://gitee.com/api/v5/swagger. */
export const gitee = {
  api: {
    url: (address, parts) => `${address}/api/v5/repos/${parts.join("/")}`,
    headers: (token) => ({ authorization: `token ${token}` }),
    file: (path, ref) => ({ path: `/raw/${escapedPath(path)}?ref=${ref}` }),
    archive: (branch) => `/tarball?ref=${encodeURIComponent(branch)}`,
    changedFiles: (pullRequest) => `/pulls/${pullRequest}/files`,
    /** In its only page. */
    mostChangedFiles: 300,
    setStatus: setCheckRun,
  },
  webhook: {
    eventHeader: "X-Gitee-Event",
    signatureHeader: "X-Gitee-Token",
    /** Either the password itself or a signature of the time, by how the webhook is set up. */
    signatures: ({ secret, headers, hmac }) => [
      secret,
      hmac(`${headers["x-gitee-timestamp"] ?? ""}\n${secret}`, "base64"),
    ],
    repositoryOf: githubRepository,
    parseEvent: (body) => githubEvent(body, changeOf),
  },
  pages: {
    commit: ({ address, path }, id) => `${address}/${path}/commit/${id}`,
    pullRequest: ({ address, path }, number) => `${address}/${path}/pulls/${number}`,
  },
  chartSources: ["gitee", "gitee-enterprise"],
} satisfies CodeHostProvider;

function changeOf(body: Tree): Change | undefined {
  const isUpdated = /^(?:source|target)_branch_changed$/.test(text(body, "action_desc"));
  return {
    open: "opened" as const,
    reopen: "opened again" as const,
    update: isUpdated ? ("updated" as const) : undefined,
    merge: "merged" as const,
  }[text(body, "action")];
}

const conclusions: Record<Exclude<CommitState, "pending">, string> = {
  ...{ success: "success", failure: "failure", timeout: "timed_out", cancelled: "cancelled" },
};

/** One check run for each context that has not ended: what has ended cannot be changed in Gitee. */
async function setCheckRun(ask: AskHost, { sha, context, state, description, link }: HostStatus): Promise<void> {
  const ended =
    state === "pending" ? { status: "in_progress" } : { status: "completed", conclusion: conclusions[state] };
  const output = { title: context, summary: description };
  const body = { name: context, ...ended, output, ...(link !== "" && { details_url: link }) };
  const path = `/commits/${encodeURIComponent(sha)}/check-runs?check_name=${encodeURIComponent(context)}`;
  const found = checkRunsOf(await ask({ method: "GET", path }));
  const open = found.find((one) => one.name === context && one.status !== "completed");
  await ask(
    open === undefined
      ? { method: "POST", path: "/check-runs", body: { head_sha: sha, ...body } }
      : { method: "PATCH", path: `/check-runs/${open.id}`, body },
  );
}

/** A list, or an object around one. */
function checkRunsOf(answer: string): { id: number; name: unknown; status: unknown }[] {
  const read = parsedJson(answer);
  const list = isRecord(read) ? read.check_runs : read;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) =>
    isRecord(one) && Number.isSafeInteger(one.id) ? [{ id: Number(one.id), name: one.name, status: one.status }] : [],
  );
}
