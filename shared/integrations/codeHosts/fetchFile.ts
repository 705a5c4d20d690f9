import { checkedFetch } from "../../outbound/checkedFetch.ts";
import { operatorPolicy } from "../../outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../outbound/outboundErrors.ts";
import { FileUnreadable, type Host, mustBeRead, type RepositoryBranch, repositoryApi } from "./repositoryApi.ts";

/** A file of a repository at the head of a branch. */
export interface RepositoryFile extends RepositoryBranch {
  /** From the root of the repository. */
  path: string;
}

/**
 * Reads one file through the API of its code host.
 * @param token the access token of the code host
 * @param maxBytes longest file that is read
 * @throws FileUnreadable
 */
export async function fetchFile(host: Host, token: string, file: RepositoryFile, maxBytes: number): Promise<string> {
  const what = `file ${file.path} on branch ${file.branch} of ${file.namespace}/${file.name}`;
  const { url, headers } = requestOf(host, token, file);
  const options = { headers, maxBytes, tls: host.disableSsl ? { rejectUnauthorized: false } : {} };
  const { status, body } = await checkedFetch(operatorPolicy(), url, options).catch((error: unknown) => {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw new FileUnreadable(`${what} cannot be read: ${error.message}`, { cause: error });
    throw error;
  });
  mustBeRead(host, status, what);
  return body.toString("utf8");
}

function requestOf(host: Host, token: string, file: RepositoryFile): { url: string; headers: Record<string, string> } {
  const { type, url, headers } = repositoryApi(host, token, file);
  const path = file.path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
  const ref = `ref=${encodeURIComponent(file.branch)}`;
  if (type === "github")
    return {
      url: `${url}/contents/${path}?${ref}`,
      headers: { ...headers, accept: "application/vnd.github.raw+json" },
    };
  if (type === "gitlab") return { url: `${url}/repository/files/${path.replaceAll("/", "%2F")}/raw?${ref}`, headers };
  return { url: `${url}/raw/${path}?${ref}`, headers };
}
