import * as z from "zod";
import { shortRefusal } from "../../rules/shortRefusal.ts";
import {
  ClusterAlreadyExists,
  ClusterAnswerUnreadable,
  ClusterBusy,
  ClusterConflict,
  type ClusterError,
  ClusterExpired,
  ClusterInvalid,
  ClusterNotFound,
  ClusterRefused,
  type FieldConflict,
  NamespaceTerminating,
} from "../errors.ts";

const cause = z.object({
  reason: z.string().optional(),
  message: z.string().optional(),
  field: z.string().optional(),
});

const status = z.object({
  kind: z.literal("Status"),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z.object({ causes: z.array(cause).optional() }).optional(),
});

export type Status = z.infer<typeof status>;

/** The `Status` in an answer of an API server, if it is one. */
export function readStatus(body: unknown): Status | undefined {
  // Nearly no answer is one, and a failed parse is dear.
  if (typeof body !== "object" || body === null || !("kind" in body) || body.kind !== "Status") return undefined;
  return status.safeParse(body).data;
}

/**
 * How the API server's answer 500 begins to an apply whose object does not fit its schema, or holds data that is no
 * base64; trying again would not mend it.
 */
const unfit = /^failed to (?:create typed patch object|convert new object)/;

/**
 * Turns a failed answer into the error that says what to do about it.
 * @param what the call in words, e.g. `apply Deployment "web" in namespace "shop"`
 */
export function statusError(httpStatus: number, body: unknown, what: string): ClusterError {
  const found = readStatus(body);
  const code = httpStatus === 200 ? (found?.code ?? 500) : httpStatus;
  const text = `${what}: ${shortRefusal(found?.message ?? `the cluster answered ${code}`)}`;
  const causes = found?.details?.causes ?? [];
  if (causes.some((one) => one.reason === "NamespaceTerminating")) return new NamespaceTerminating(text);
  if (code === 401 || code === 403) return new ClusterRefused(text, code);
  if (code === 404) return new ClusterNotFound(text);
  if (code === 409 && found?.reason === "AlreadyExists") return new ClusterAlreadyExists(text);
  if (code === 409) return new ClusterConflict(text, fieldConflicts(causes));
  if (code === 410) return new ClusterExpired(text);
  if (unfit.test(found?.message ?? "")) return new ClusterInvalid(text, 422);
  if (code === 429 || code >= 500) return new ClusterBusy(text, code);
  if (found === undefined || code < 400)
    return new ClusterAnswerUnreadable(
      `${what}: answered ${code} without a Kubernetes status; check the server address`,
    );
  return new ClusterInvalid(text, code);
}

/** `conflict with "kubectl" using apps/v1` and `.spec.replicas` become manager and field. */
function fieldConflicts(causes: z.infer<typeof cause>[]): FieldConflict[] {
  return causes
    .filter((one) => one.reason === "FieldManagerConflict")
    .map((one) => ({
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(one.message ?? "")?.[1] ?? "unknown",
      field: one.field ?? "",
    }));
}
