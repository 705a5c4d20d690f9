import { startVendorServer, type VendorReply, type VendorRequest, type VendorServer } from "./vendorServer.ts";

/** What four kinds of code hosts document of the files of pull requests of `team/web`, behind one address. */
export interface PullRequestHost extends VendorServer {
  /** By the number of the pull request: names of files; of a renamed one the former and the new one. */
  files: Map<number, (string | readonly [string, string])[]>;
  /** Answers instead. */
  reply: VendorReply | undefined;
}

type Changed = string | readonly [former: string, now: string];

/** How each names them. */
const shapes: Record<string, (file: Changed) => object> = {
  v3: (file) => (typeof file === "string" ? { filename: file } : { filename: file[1], previous_filename: file[0] }),
  v1: (file) => (typeof file === "string" ? { filename: file } : { filename: file[1], previous_filename: file[0] }),
  v4: (file) => {
    const [old_path, new_path] = typeof file === "string" ? [file, file] : file;
    return { old_path, new_path, diff: "" };
  },
  v5: (file) => {
    const [old_path, new_path] = typeof file === "string" ? [file, file] : file;
    return { filename: new_path, patch: { old_path, new_path, diff: "" } };
  },
};

/** @param token what code hosts are signed in to with */
export async function startPullRequestHost(token: string): Promise<PullRequestHost> {
  const files: PullRequestHost["files"] = new Map();

  const usual = ({ path, headers }: VendorRequest): VendorReply => {
    const { authorization = "", "private-token": privateToken } = headers;
    const { pathname, searchParams } = new URL(path, "http://host");
    const [, version = "", number = ""] =
      [
        /^\/api\/(v[135])\/repos\/team\/web\/pulls\/(\d+)\/files$/,
        /^\/api\/(v4)\/projects\/team%2Fweb\/merge_requests\/(\d+)\/diffs$/,
      ]
        .map((one) => one.exec(pathname))
        .find((found) => found !== null) ?? [];
    const isAllowed = version === "v4" ? privateToken === token : authorization.split(" ")[1] === token;
    if (!isAllowed) return { status: 401, body: { message: "401 Unauthorized" } };
    if (version === "v3" && headers["user-agent"] === undefined) return { status: 403, body: {} };
    const all = files.get(Number(number));
    const shape = shapes[version];
    if (all === undefined || shape === undefined) return { status: 404, body: { message: "404 Not Found" } };
    if (version === "v5") return { status: 200, body: all.slice(0, 300).map(shape) };
    const size = Math.min(
      Number(searchParams.get(version === "v1" ? "limit" : "per_page")),
      version === "v1" ? 50 : 100,
    );
    const page = Number(searchParams.get("page"));
    const next =
      page * size < all.length ? { link: `<http://elsewhere.example.com/?page=${page + 1}>; rel="next"` } : {};
    return { status: 200, body: all.slice((page - 1) * size, page * size).map(shape), headers: next };
  };

  const server = await startVendorServer((request) => host.reply ?? usual(request));
  const host: PullRequestHost = Object.assign(server, { files, reply: undefined });
  return host;
}
