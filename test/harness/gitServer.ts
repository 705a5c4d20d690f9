import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Whether this machine has git with the program that serves repositories. */
export const hasGit = ((): boolean => {
  const path = spawnSync("git", ["--exec-path"], { encoding: "utf8" });
  return (
    path.status === 0 && spawnSync("git", ["http-backend"], { env: { PATH: process.env.PATH } }).error === undefined
  );
})();

export interface GitServer {
  /** `http://host:port` */
  url: string;
  /** Where the repositories stand. */
  folder: string;
  /** Makes a bare repository. */
  repository(name: string): TestRepository;
  /** Requests that were refused or answered, as `401 GET /path`. */
  requests: string[];
  close(): Promise<void>;
}

export interface TestRepository {
  /** Commits files on a branch that begins at `from`. @returns the commit's id */
  commit(branch: string, files: Record<string, string>, options?: { from?: string; message?: string }): string;
  /** Names a commit. */
  refer(ref: string, commit: string): void;
  /** Adds a submodule on a branch. @returns the commit's id */
  submodule(branch: string, path: string, address: string, commit: string): string;
}

/** Serves repositories over HTTP as git itself does; with `password`, to whoever knows it. */
export async function startGitServer(
  options: { host?: string; username?: string; password?: string } = {},
): Promise<GitServer> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-git-"));
  const { host = "127.0.0.1", username = "oauth2", password } = options;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const isAllowed = password === undefined || request.headers.authorization === authorization;
    requests.push(`${isAllowed ? 200 : 401} ${request.method} ${request.url}`);
    if (isAllowed) return void backend(folder, request, response);
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    folder,
    repository: (name) => repositoryIn(join(folder, name)),
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function backend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://git");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf("\r\n\r\n");
    const headers = answer
      .toString("latin1", 0, end)
      .split("\r\n")
      .map((line) => line.split(": "));
    const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
    const kept = headers.filter(([name]) => name !== "Status").map(([name = "", value = ""]) => [name, value] as const);
    response.writeHead(status, Object.fromEntries(kept)).end(answer.subarray(end + 4));
  });
}

function repositoryIn(path: string): TestRepository {
  const work = `${path}.work`;
  mkdirSync(dirname(path), { recursive: true });
  const git = (cwd: string, ...args: string[]): string => {
    const env = {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" },
      ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" },
    };
    return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  };
  git(dirname(path), "init", "--quiet", "--bare", "-b", "main", path);
  git(path, "config", "uploadpack.allowAnySHA1InWant", "true");
  git(dirname(path), "clone", "--quiet", path, work);
  const checkOut = (branch: string, from: string | undefined): void => {
    const known = git(work, "branch", "--list", branch) !== "";
    if (known) git(work, "checkout", "--quiet", branch);
    else git(work, "checkout", "--quiet", "-b", branch, ...(from === undefined ? [] : [from]));
  };
  const pushed = (branch: string, message: string): string => {
    git(work, "add", "--all");
    git(work, "commit", "--quiet", "-m", message);
    git(work, "push", "--quiet", "origin", branch);
    return git(work, "rev-parse", "HEAD");
  };
  return {
    commit(branch, files, { from, message = "change" } = {}) {
      checkOut(branch, from);
      for (const [file, content] of Object.entries(files)) {
        mkdirSync(dirname(join(work, file)), { recursive: true });
        writeFileSync(join(work, file), content);
      }
      return pushed(branch, message);
    },
    refer(ref, commit) {
      git(work, "push", "--quiet", "origin", `${commit}:${ref}`);
    },
    submodule(branch, place, address, commit) {
      checkOut(branch, undefined);
      writeFileSync(join(work, ".gitmodules"), `[submodule "${place}"]\n\tpath = ${place}\n\turl = ${address}\n`);
      git(work, "update-index", "--add", "--cacheinfo", `160000,${commit},${place}`);
      git(work, "add", ".gitmodules");
      git(work, "commit", "--quiet", "-m", "submodule");
      git(work, "push", "--quiet", "origin", branch);
      return git(work, "rev-parse", "HEAD");
    },
  };
}
