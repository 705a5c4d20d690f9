/** Everything a cluster call can end with; `retryable` tells the two families apart across process borders. */
export abstract class ClusterError extends Error {
  abstract readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The same call may succeed later without anybody changing anything. */
export abstract class RetryableClusterError extends ClusterError {
  override readonly retryable = true;
}

/** The same call fails again until its cause is fixed. */
export abstract class TerminalClusterError extends ClusterError {
  override readonly retryable = false;
}

/** No answer: connection refused or reset, name unknown, deadline passed. `code` is Node's, e.g. `ECONNREFUSED`. */
export class ClusterUnreachable extends RetryableClusterError {
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The API server answered 429 or 5xx until the retries or the deadline were used up. */
export class ClusterBusy extends RetryableClusterError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** 410: a resource version or page token is no longer kept by the server; list again. */
export class ClusterExpired extends RetryableClusterError {}

/** The caller's signal ended the call. */
export class ClusterCallAborted extends RetryableClusterError {}

/** 401 or 403. */
export class ClusterRefused extends TerminalClusterError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A field that another manager holds. */
export interface FieldConflict {
  manager: string;
  field: string;
}

/** 409 of an apply (fields of other managers) or of an optimistic precondition (`fields` is empty). */
export class ClusterConflict extends TerminalClusterError {
  readonly fields: readonly FieldConflict[];

  constructor(message: string, fields: readonly FieldConflict[]) {
    super(message);
    this.fields = fields;
  }
}

/** 409 of a create: the name is taken. */
export class ClusterAlreadyExists extends TerminalClusterError {}

/** 400, 413, 415, 422: the API server refuses the object; the message is the server's own. */
export class ClusterInvalid extends TerminalClusterError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** 404 of a named object. */
export class ClusterNotFound extends TerminalClusterError {}

/** The cluster does not serve this kind (for now: its definition may still come). */
export class ClusterKindUnknown extends TerminalClusterError {}

/** The namespace is being deleted and takes nothing new (code 6400). */
export class NamespaceTerminating extends TerminalClusterError {}

/** The server's certificate is expired, made for another name or signed by an unknown authority. */
export class ClusterCertificateInvalid extends TerminalClusterError {}

/** The address may not be reached from here (outbound policy, decisions 5.8). */
export class ClusterAddressRefused extends TerminalClusterError {}

/** The credentials cannot be made: kubeconfig refused, role not assumable, exec plugin failed. */
export class ClusterCredentialsInvalid extends TerminalClusterError {}

/** Something answered that is not a Kubernetes API server. */
export class ClusterAnswerUnreadable extends TerminalClusterError {}
