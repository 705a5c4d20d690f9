import { escapedPath, githubChange, githubEvent, githubRepository, setGithubStatus } from "./githubFamily.ts";
import type { CodeHostProvider } from "./provider.ts";

/** Gitea. Source: the OpenAPI document that each installation serves under `/api/swagger`. */
export const gitea = {
  api: {
    url: (address, parts) => `${address}/api/v1/repos/${parts.join("/")}`,
    headers: (token) => ({ authorization: `token ${token}` }),
    file: (path, ref) => ({ path: `/raw/${escapedPath(path)}?ref=${ref}` }),
    archive: (branch) => `/archive/${escapedPath(branch)}.tar.gz`,
    changedFiles: (pullRequest, page) => `/pulls/${pullRequest}/files?limit=50&page=${page}`,
    setStatus: setGithubStatus,
  },
  webhook: {
    eventHeader: "X-Gitea-Event",
    deliveryHeader: "X-Gitea-Delivery",
    signatureHeader: "X-Gitea-Signature",
    signatures: ({ bytes, hmac }) => [hmac(bytes, "hex")],
    repositoryOf: githubRepository,
    parseEvent: (body) => githubEvent(body, githubChange),
  },
} satisfies CodeHostProvider;
