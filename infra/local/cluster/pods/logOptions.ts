import { badRequest, invalid, type StatusCause } from "../api/errors.ts";

/** What is asked of a log. */
export interface LogOptions {
  container: string | undefined;
  follow: boolean;
  timestamps: boolean;
  previous: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  /** Only lines that are not older. */
  since: Date | undefined;
}

const largest = 2n ** 63n;

/** Reads the query of `pods/log`. Throws 400 for what is no number or time, 422 for one that cannot be meant. */
export function readLogOptions(query: URLSearchParams, podName: string): LogOptions {
  const tailLines = whole(query.get("tailLines"));
  const limitBytes = whole(query.get("limitBytes"));
  const sinceSeconds = whole(query.get("sinceSeconds"));
  const sinceTime = time(query.get("sinceTime"));
  const causes = [
    ...(tailLines !== undefined && tailLines < 0 ? [outside("tailLines", tailLines, "or equal to 0")] : []),
    ...(limitBytes !== undefined && limitBytes < 1 ? [outside("limitBytes", limitBytes, "0")] : []),
    ...(sinceTime && sinceSeconds !== undefined ? [twoBeginnings] : []),
    ...(!sinceTime && sinceSeconds !== undefined && sinceSeconds < 1
      ? [outside("sinceSeconds", sinceSeconds, "0")]
      : []),
  ];
  if (causes.length > 0) throw invalid({ group: "", plural: "", kind: "PodLogOptions" }, podName, causes);
  return {
    container: query.get("container") || undefined,
    follow: isOn(query.get("follow")),
    timestamps: isOn(query.get("timestamps")),
    previous: isOn(query.get("previous")),
    tailLines,
    limitBytes,
    since: sinceSeconds === undefined ? sinceTime : new Date(Date.now() - sinceSeconds * 1_000),
  };
}

/** Everything that is given counts as true but these two. */
function isOn(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

function whole(text: string | null): number | undefined {
  if (text === null) return undefined;
  const problem = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw problem("invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (value >= largest || value < -largest) throw problem("value out of range");
  return Number(value);
}

function time(text: string | null): Date | undefined {
  if (!text) return undefined;
  const date = new Date(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw badRequest(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse it`);
}

function outside(field: string, value: number, least: string): StatusCause {
  const message = `Invalid value: ${value}: must be greater than ${least}`;
  return { reason: "FieldValueInvalid", message, field };
}

const twoBeginnings: StatusCause = {
  reason: "FieldValueForbidden",
  message: "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
  field: "[]",
};
