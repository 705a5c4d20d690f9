import { type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import type { RepositoryApi } from "../rules/codeHosts/provider.ts";
import { codeHostProviders, typesWithApi } from "../rules/codeHosts/providers.ts";
import type { CodeHost } from "../store/codeHosts.ts";

export type Host = Pick<CodeHost, "type" | "address" | "alias" | "authType" | "disableSsl">;

/** A repository of a code host. */
export interface Repository {
  /** Owner, group with subgroups, or organisation. */
  namespace: string;
  name: string;
}

/** The same at the head of a branch. */
export interface RepositoryBranch extends Repository {
  branch: string;
}

/** Why something of a repository cannot be read, or its API not be used, in a sentence for users. */
export class FileUnreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FileUnreadable";
  }
}

/** The API of a code host for one repository. */
interface RepositoryAccess {
  api: RepositoryApi;
  /** Of the repository; what is asked of it follows. */
  url: string;
  headers: Record<string, string>;
}

/**
 * Where and how the API of a code host is asked about a repository.
 * @throws FileUnreadable for a code host that has no such API or no token for it
 */
export function repositoryApi(
  { type, address, alias, authType }: Host,
  token: string,
  { namespace, name }: Repository,
): RepositoryAccess {
  if (authType !== "token")
    throw new FileUnreadable(
      `code host ${alias} signs in with auth_type ${authType}; its API, through which files are read and statuses are set, needs auth_type token`,
    );
  const { api } = codeHostProviders[type];
  if (api === undefined) {
    const able = new Intl.ListFormat("en-GB").format(typesWithApi());
    throw new FileUnreadable(`files of code host ${alias} cannot be read: it is of type ${type}; ${able} can`);
  }
  const parts = [...namespace.split("/"), name].map(encodeURIComponent);
  return { api, url: api.url(address.trim().replace(/\/+$/, ""), parts), headers: api.headers(token) };
}

interface Question {
  headers: Record<string, string>;
  maxBytes: number;
  timeoutSeconds?: number;
}

/**
 * Asks a code host for something that is read; the caller decides which statuses are answers.
 * @param what is read, for users
 * @throws FileUnreadable when the host does not answer, or with more than may be; its cause says which
 */
export function askCodeHost(
  { disableSsl }: Host,
  url: string,
  question: Question,
  what: string,
): Promise<CheckedResponse> {
  const tls = disableSsl ? { rejectUnauthorized: false } : {};
  return checkedFetch(operatorPolicy(), url, { ...question, tls }).catch((error: unknown) => {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw new FileUnreadable(`${what} cannot be read: ${error.message}`, { cause: error });
    throw error;
  });
}

/** @throws FileUnreadable unless the status is 200 */
export function mustBeRead({ alias }: Host, status: number, what: string): void {
  if (status === 200) return;
  if (status === 401) throw new FileUnreadable(`code host ${alias} does not accept its access token`);
  if (status === 403) throw new FileUnreadable(`the access token of code host ${alias} may not read ${what}`);
  if (status === 404) throw new FileUnreadable(`code host ${alias} has no ${what}, or its access token may not see it`);
  throw new FileUnreadable(`code host ${alias} answers with status ${status} when asked for ${what}`);
}
