import { unixSeconds } from "../../base/common/dateTime.ts";

/** What keeps a service from running, spelled as on the wire (decisions 6.7). `since` in Unix seconds. */
export interface InstanceProblem {
  kind: string;
  name: string;
  reason: string;
  message: string;
  since: number;
}

/** Makes problems of one object; `since` is an RFC 3339 time, of what tells none the object's own. */
export function problemsOf(object: { kind: string; metadata: { name: string; creationTimestamp?: string } }) {
  return (reason: string, message: string, since: string | undefined): InstanceProblem => ({
    kind: object.kind,
    name: object.metadata.name,
    reason,
    message,
    since: unixSeconds(since || object.metadata.creationTimestamp),
  });
}
