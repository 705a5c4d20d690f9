import { OutboundRefused } from "../../../base/outbound/outboundErrors.ts";
import {
  ClusterAddressRefused,
  ClusterCallAborted,
  ClusterCertificateInvalid,
  ClusterError,
  ClusterUnreachable,
} from "../errors.ts";

const certificateCodes = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Turns what Node says about a connection into a `ClusterError`. `what` is the call in words. */
export function transportError(error: unknown, what: string, ended: "deadline" | "signal" | undefined): ClusterError {
  if (error instanceof ClusterError) return error;
  if (error instanceof OutboundRefused) return new ClusterAddressRefused(error.message, { cause: error });
  if (ended === "signal") return new ClusterCallAborted(`${what}: aborted`, { cause: error });
  if (ended === "deadline")
    return new ClusterUnreachable(`${what}: no answer before the deadline`, "ETIMEDOUT", { cause: error });
  const code = errorCode(error);
  const message = error instanceof Error ? error.message || code : String(error);
  if (certificateCodes.has(code))
    return new ClusterCertificateInvalid(`the cluster's certificate is not valid: ${message}`, { cause: error });
  return new ClusterUnreachable(`${what}: cannot reach the cluster: ${message}`, code, { cause: error });
}

function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return "UNKNOWN";
}
