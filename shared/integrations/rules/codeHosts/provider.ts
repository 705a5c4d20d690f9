import type { GitEvent, QuietEvent } from "./gitEvent.ts";
import type { Tree } from "./tree.ts";

/** A commit's status by words that all code hosts can say; each has its own for them. */
export const commitStates = ["pending", "success", "failure", "timeout", "cancelled"] as const;
export type CommitState = (typeof commitStates)[number];

/** A status that a code host sets at a commit. */
export interface HostStatus {
  sha: string;
  /** The name of the status, beside those of others. */
  context: string;
  state: CommitState;
  /** At most 140 characters, as GitHub takes them. */
  description: string;
  /** Empty: none. */
  link: string;
}

/** One request of the API below a repository. */
export interface HostRequest {
  method: "GET" | "POST" | "PATCH";
  path: string;
  body?: object;
  /** Whether a refusal says that an earlier try arrived. */
  isRepeated?(status: number, text: string): boolean;
}

/** Sends one request and returns the text of the answer; throws unless the code host took it. */
export type AskHost = (request: HostRequest) => Promise<string>;

/** How the API of a code host is asked about a repository. Paths are below the repository's address. */
export interface RepositoryApi {
  /**
   * The repository's address.
   * @param address of the code host, without a slash at its end
   * @param parts of the repository's namespace, and its name, each escaped
   */
  url(address: string, parts: readonly string[]): string;
  headers(token: string): Record<string, string>;
  /** The content of a file. `ref` is escaped for a query. */
  file(path: string, ref: string): { path: string; headers?: Record<string, string> };
  /** A gzipped tar of a branch; `folder` is enough, where the code host can leave the rest out. */
  archive(branch: string, folder: string): string;
  /** A page of the files that a pull request changes; pages count from 1. */
  changedFiles(pullRequest: number, page: number): string;
  /** Files that it lists at most, where that is fewer than others list. */
  mostChangedFiles?: number;
  /** Sets a status; a repetition leaves one status. */
  setStatus(ask: AskHost, status: HostStatus): Promise<void>;
}

/** What a signature is made of. */
export interface Signing {
  secret: string;
  headers: Readonly<Record<string, string>>;
  bytes: Uint8Array;
  /** HMAC-SHA256 by the secret. */
  hmac(data: string | Uint8Array, encoding: "hex" | "base64"): string;
}

/** What a code host sends when something happens. */
export interface Webhook {
  /** By which a call of this code host is known. */
  eventHeader: string;
  /** The code host's own id of a delivery. */
  deliveryHeader?: string;
  signatureHeader: string;
  /** What that header may say when the sender knows the secret. */
  signatures(call: Signing): string[];
  /** The repository's namespace and name, and the address at which people see it; empty where a call is of none. */
  repositoryOf(body: unknown): { path: string; address: string };
  /** @returns undefined for what is no push, tag or pull request */
  parseEvent(body: Tree): GitEvent | QuietEvent | undefined;
}

/** Where people see a repository. */
export interface WebRepository {
  /** Of the code host, without a slash at its end. */
  address: string;
  /** Of the repository below it. */
  path: string;
}

/** One kind of code host. What it lacks is absent: nothing is asked of it, heard from it or linked to it. */
export interface CodeHostProvider {
  api?: RepositoryApi;
  webhook?: Webhook;
  pages?: {
    commit?(repository: WebRepository, id: string): string;
    pullRequest(repository: WebRepository, number: number): string;
  };
  /** Below its address, what Git clones; absent: `namespace/name.git`. */
  clonePath?(repository: { namespace: string; name: string }): string;
  /** Where Git finds the heads of pull requests, below `refs/`; absent: `pull`. */
  pullRefs?: string;
  /** Sources of charts that are named by it (contract P 3.3). */
  chartSources?: readonly string[];
}
