import { startVendorServer, type VendorReply, type VendorRequest, type VendorServer } from "./vendorServer.ts";

interface StoredStatus {
  vendor: string;
  sha: string;
  context: string;
  state: string;
  description: string;
  link: string;
}

/** What four kinds of code hosts document of statuses at commits of `team/web`, behind one address. */
export interface StatusHost extends VendorServer {
  /** As they stand, in the order in which they came. */
  statuses: StoredStatus[];
  /** Of each status that was taken: its vendor, commit and state. */
  history: StoredStatus[];
  /**
   * Answers of the next calls: `lost` does what was asked, and breaks the connection before it answers; a promise is
   * waited for before anything is done.
   */
  next: (VendorReply | "lost" | Promise<void>)[];
  isDown: boolean;
}

const states: Record<string, readonly string[]> = {
  github: ["error", "failure", "pending", "success"],
  gitea: ["pending", "success", "error", "failure", "warning"],
  gitlab: ["pending", "running", "success", "failed", "canceled", "skipped"],
};
const gitLabEvents: Record<string, string> = { pending: "enqueue", running: "run", success: "success", failed: "drop" };

/** @param token what code hosts are signed in to with */
export async function startStatusHost(token: string): Promise<StatusHost> {
  const statuses: StoredStatus[] = [];
  const history: StoredStatus[] = [];
  const next: StatusHost["next"] = [];
  const runs: { id: number; head_sha: string; name: string; status: string; conclusion: string | null }[] = [];

  const keep = (status: StoredStatus) => {
    history.push(status);
    const at = statuses.findIndex((one) => one.sha === status.sha && one.context === status.context);
    if (at < 0) statuses.push(status);
    else statuses[at] = status;
  };
  const ok = (body: unknown): VendorReply => ({ status: 201, body });
  const refused = (status: number, message: string): VendorReply => ({ status, body: { message } });
  const textOf = (value: unknown) => (typeof value === "string" ? value : "");

  const plain = (vendor: string, sha: string, body: VendorRequest["body"]): VendorReply => {
    const state = textOf(body.state);
    if (!states[vendor]?.includes(state)) return refused(422, `state ${state} is not known`);
    const description = textOf(body.description);
    if (description.length > 140) return refused(422, "description is too long");
    const context = textOf(body.context);
    const before = statuses.find((one) => one.sha === sha && one.context === context)?.state;
    if (vendor === "gitlab" && before === state && ["pending", "running"].includes(state)) {
      const event = gitLabEvents[state];
      return refused(
        400,
        `Cannot transition status via :${event} from :${state} (Reason(s): Status cannot transition via "${event}")`,
      );
    }
    keep({ vendor, sha, context, state, description, link: textOf(body.target_url) });
    return ok({ id: history.length });
  };

  const checkRun = ({ method, path, body }: VendorRequest): VendorReply => {
    const { pathname, searchParams } = new URL(path, "http://gitee");
    const below = pathname.slice("/api/v5/repos/team/web".length);
    if (method === "GET") {
      const sha = below.split("/")[2];
      const name = searchParams.get("check_name");
      return { status: 200, body: runs.filter((run) => run.head_sha === sha && (name === null || run.name === name)) };
    }
    const isNew = method === "POST" && below === "/check-runs";
    const run = isNew
      ? {
          id: runs.length + 1,
          head_sha: textOf(body.head_sha),
          name: textOf(body.name),
          status: "queued",
          conclusion: null,
        }
      : runs.find(({ id }) => below === `/check-runs/${id}`);
    if (run === undefined || run.head_sha === "" || textOf(body.name) === "") return refused(404, "404 Not Found");
    if (run.conclusion !== null) return refused(400, "the conclusion cannot be changed");
    if (body.status === "completed" && textOf(body.conclusion) === "") return refused(400, "conclusion is missing");
    run.status = textOf(body.status);
    const conclusion = textOf(body.conclusion);
    const kept = { ...run, conclusion: conclusion === "" ? null : conclusion };
    if (isNew) runs.push(kept);
    else runs[runs.indexOf(run)] = kept;
    const output = body.output as { summary?: unknown } | undefined;
    keep({
      ...{ vendor: "gitee", sha: run.head_sha, context: run.name, state: conclusion || run.status },
      ...{ description: textOf(output?.summary), link: textOf(body.details_url) },
    });
    return ok(kept);
  };

  const usual = (request: VendorRequest): VendorReply => {
    const { method, path, headers, body } = request;
    const { authorization = "", "private-token": privateToken } = headers;
    const [, vendor = "", sha = ""] =
      [
        /^\/api\/(v3)\/repos\/team\/web\/statuses\/([0-9a-f]{40})$/,
        /^\/api\/(v4)\/projects\/team%2Fweb\/statuses\/([0-9a-f]{40})$/,
        /^\/api\/(v1)\/repos\/team\/web\/statuses\/([0-9a-f]{40})$/,
        /^\/api\/(v5)\/repos\/team\/web\/(?:check-runs|commits\/)/,
      ]
        .map((one) => one.exec(path))
        .find((found) => found !== null) ?? [];
    const isAllowed = vendor === "v4" ? privateToken === token : authorization.split(" ")[1] === token;
    if (!isAllowed) return refused(401, "401 Unauthorized");
    if (vendor === "v3" && headers["user-agent"] === undefined) return refused(403, "no user agent");
    if (vendor === "v5") return checkRun(request);
    const name = { v3: "github", v4: "gitlab", v1: "gitea" }[vendor];
    if (name === undefined || method !== "POST") return refused(404, "404 Not Found");
    return plain(name, sha, body);
  };

  const server: VendorServer = await startVendorServer(async (request) => {
    if (host.isDown) return "drop";
    const reply = next.shift();
    if (reply instanceof Promise) {
      await reply;
      return usual(request);
    }
    if (reply === "lost") usual(request);
    return reply === "lost" ? "drop" : (reply ?? usual(request));
  });
  const host = Object.assign(server, { statuses, history, next, isDown: false });
  return host;
}
