import {
  ClusterAddressRefused,
  ClusterAnswerUnreadable,
  ClusterBusy,
  ClusterCallAborted,
  ClusterCertificateInvalid,
  ClusterConflict,
  ClusterCredentialsInvalid,
  ClusterError,
  ClusterExpired,
  ClusterRefused,
  ClusterUnreachable,
  NamespaceTerminating,
} from "../client/errors.ts";

type Description = readonly [type: abstract new (...given: never[]) => ClusterError, text: (message: string) => string];

/** What the client's message does not say itself: what to do about it. */
const descriptions: readonly Description[] = [
  [ClusterUnreachable, (message) => `the cluster does not answer (${message}); check its address and that it runs`],
  [ClusterBusy, (message) => `the cluster is overloaded or failing (${message}); try again in a moment`],
  [ClusterExpired, (message) => `the cluster forgot the state it was asked about (${message}); try again`],
  [ClusterCallAborted, (message) => `the call was abandoned (${message}); try again`],
  [ClusterRefused, (message) => `the cluster refuses it (${message}); check the credentials and their rights`],
  [ClusterCertificateInvalid, (message) => `${message}; renew the certificate or correct the authority`],
  [ClusterAddressRefused, (message) => `the cluster's address is not allowed (${message})`],
  [ClusterCredentialsInvalid, (message) => `the cluster's credentials cannot be used (${message})`],
  [ClusterAnswerUnreadable, (message) => `no Kubernetes API server answers there (${message})`],
  [ClusterConflict, (message) => `somebody else holds it (${message})`],
  [NamespaceTerminating, (message) => `the namespace is being deleted (${message}); wait until it is gone`],
];

/**
 * The one sentence for users about a failed use of a cluster.
 * @returns undefined for an error that is not a cluster's: its text was never meant for users
 */
export function describeClusterError(error: ClusterError): string;
export function describeClusterError(error: unknown): string | undefined;
export function describeClusterError(error: unknown): string | undefined {
  if (!(error instanceof ClusterError)) return undefined;
  const description = descriptions.find(([type]) => error instanceof type);
  return description === undefined ? error.message : description[1](error.message);
}
