import type { PushedRevision } from "../../workflows/jobs/pushedRevision.ts";
import type { Payload } from "../rules/payload.ts";
import type { GitTrigger } from "../rules/trigger.ts";

/** What jobs that clone the repository check out: a commit, a tag, or a pull request merged onto its target. */
export function pushedBy({ codeHostId, namespace, repository }: GitTrigger, { trigger }: Payload): PushedRevision {
  const { event = "", branch = "", target_branch: target = "", tag = "", commit_sha: commitId = "", pr = "" } = trigger;
  const isOpen = event === "pull_request_opened" || event === "pull_request_updated";
  return {
    ...{ codeHostId: Number(codeHostId), path: `${namespace}/${repository}`, tag, branch: target || branch },
    pullRequests: isOpen ? [Number(pr)] : [],
    ...{ enableCommit: !isOpen && tag === "", commitId: isOpen || tag !== "" ? "" : commitId },
  };
}
