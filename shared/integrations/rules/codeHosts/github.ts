import { escapedPath, githubChange, githubEvent, githubRepository, setGithubStatus } from "./githubFamily.ts";
import type { CodeHostProvider } from "./provider.ts";

/**
 * GitHub, also Enterprise. Sources: https://docs.github.com/en/rest (pulls, commits/statuses, repos/contents) and
 * https://docs.github.com/en/webhooks.
 */
export const github = {
  api: {
    url: (address, parts) => {
      const api = new URL(address).hostname === "github.com" ? "https://api.github.com" : `${address}/api/v3`;
      return `${api}/repos/${parts.join("/")}`;
    },
    headers: (token) => ({ authorization: `Bearer ${token}`, "user-agent": "slipway" }),
    file: (path, ref) => ({
      path: `/contents/${escapedPath(path)}?ref=${ref}`,
      headers: { accept: "application/vnd.github.raw+json" },
    }),
    archive: (branch) => `/tarball/${escapedPath(branch)}`,
    changedFiles: (pullRequest, page) => `/pulls/${pullRequest}/files?per_page=100&page=${page}`,
    setStatus: setGithubStatus,
  },
  webhook: {
    eventHeader: "X-GitHub-Event",
    deliveryHeader: "X-GitHub-Delivery",
    signatureHeader: "X-Hub-Signature-256",
    signatures: ({ bytes, hmac }) => [`sha256=${hmac(bytes, "hex")}`],
    repositoryOf: githubRepository,
    parseEvent: (body) => githubEvent(body, githubChange),
  },
  pages: {
    commit: ({ address, path }, id) => `${address}/${path}/commit/${id}`,
    pullRequest: ({ address, path }, number) => `${address}/${path}/pull/${number}`,
  },
} satisfies CodeHostProvider;
