import { checkedFetch } from "../../outbound/checkedFetch.ts";
import { operatorPolicy } from "../../outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../outbound/outboundErrors.ts";
import type { CodeHost } from "../store/codeHosts.ts";

/** A file of a repository at the head of a branch. */
export interface RepositoryFile {
  /** Owner, group with subgroups, or organisation. */
  namespace: string;
  name: string;
  branch: string;
  /** From the root of the repository. */
  path: string;
}

/** Why a file cannot be read, in a sentence for users. */
export class FileUnreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FileUnreadable";
  }
}

interface FileRequest {
  url: string;
  headers: Record<string, string>;
}

/**
 * Reads one file through the API of its code host: GitHub (also Enterprise), GitLab, Gitea and Gitee.
 * @param token the access token of the code host
 * @param maxBytes longest file that is read
 * @throws FileUnreadable
 */
export async function fetchFile(
  host: Pick<CodeHost, "type" | "address" | "alias" | "authType" | "disableSsl">,
  token: string,
  file: RepositoryFile,
  maxBytes: number,
): Promise<string> {
  const what = `file ${file.path} on branch ${file.branch} of ${file.namespace}/${file.name}`;
  const { url, headers } = requestOf(host, token, file);
  const options = { headers, maxBytes, tls: host.disableSsl ? { rejectUnauthorized: false } : {} };
  const { status, body } = await checkedFetch(operatorPolicy(), url, options).catch((error: unknown) => {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw new FileUnreadable(`${what} cannot be read: ${error.message}`, { cause: error });
    throw error;
  });
  if (status === 200) return body.toString("utf8");
  if (status === 401) throw new FileUnreadable(`code host ${host.alias} does not accept its access token`);
  if (status === 403) throw new FileUnreadable(`the access token of code host ${host.alias} may not read ${what}`);
  if (status === 404)
    throw new FileUnreadable(`code host ${host.alias} has no ${what}, or its access token may not see it`);
  throw new FileUnreadable(`code host ${host.alias} answers with status ${status} when asked for ${what}`);
}

function requestOf(
  { type, address, alias, authType }: Parameters<typeof fetchFile>[0],
  token: string,
  { namespace, name, branch, path }: RepositoryFile,
): FileRequest {
  if (authType !== "token")
    throw new FileUnreadable(
      `code host ${alias} signs in with auth_type ${authType}; files are read through its API, which needs auth_type token`,
    );
  const base = address.trim().replace(/\/+$/, "");
  const repository = [...namespace.split("/"), name].map(encodeURIComponent);
  const file = path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
  const ref = encodeURIComponent(branch);
  switch (type) {
    case "github": {
      const api = new URL(base).hostname === "github.com" ? "https://api.github.com" : `${base}/api/v3`;
      return {
        url: `${api}/repos/${repository.join("/")}/contents/${file}?ref=${ref}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/vnd.github.raw+json",
          "user-agent": "slipway",
        },
      };
    }
    case "gitlab":
      return {
        url: `${base}/api/v4/projects/${repository.join("%2F")}/repository/files/${file.replaceAll("/", "%2F")}/raw?ref=${ref}`,
        headers: { "private-token": token },
      };
    case "gitea":
      return {
        url: `${base}/api/v1/repos/${repository.join("/")}/raw/${file}?ref=${ref}`,
        headers: { authorization: `token ${token}` },
      };
    case "gitee":
      return {
        url: `${base}/api/v5/repos/${repository.join("/")}/raw/${file}?ref=${ref}`,
        headers: { authorization: `token ${token}` },
      };
    default:
      throw new FileUnreadable(
        `files of code host ${alias} cannot be read: it is of type ${type}; github, gitlab, gitea and gitee can`,
      );
  }
}
