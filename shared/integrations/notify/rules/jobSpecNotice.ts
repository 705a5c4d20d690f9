/** What a message says about a job of its kind. Builds and freestyle jobs are of the first one. */
export type JobSpecNotice =
  | { kind: "build"; repositories: readonly RepositoryNotice[]; image: string }
  | {
      kind: "deploy";
      environment: string;
      serviceName: string;
      serviceModules: readonly { serviceModule: string; image: string }[];
    }
  | { kind: "test"; succeeded: number; failed: number; total: number }
  | { kind: "scan"; metrics: ScanMetrics | undefined }
  | { kind: "other" };

export interface ScanMetrics {
  qualityGateStatus: string;
  ncloc: string;
  bugs: string;
  vulnerabilities: string;
  codeSmells: string;
  coverage: string;
}

export interface RepositoryNotice {
  /** Type of the code host. */
  source: string;
  /** The code host's address, for links. */
  address: string;
  owner: string;
  namespace: string;
  name: string;
  branch: string;
  pullRequests: readonly number[];
  tag: string;
  authorName: string;
  commitId: string;
  commitMessage: string;
  isPrimary: boolean;
}
