import { askCodeHost, type Host, mustBeRead, type RepositoryBranch, repositoryApi } from "./repositoryApi.ts";

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
  const { status, body } = await askCodeHost(host, url, { headers, maxBytes }, what);
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
