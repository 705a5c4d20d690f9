import type { Route } from "../route.ts";
import { permissionText } from "./permissionTable.ts";

/** What is to know about calling an endpoint beside its summary: what it does, who may, what may go wrong. From its declaration. */
export function operationText(route: Route): string {
  return [
    effectText(route),
    `Who may call it: ${permissionText(route.permission)}.`,
    ...hints(route),
    failureText(route),
  ].join("\n\n");
}

const isChange = ({ method, reads, audit }: Route): boolean =>
  (method !== "GET" && reads !== true) || audit !== undefined;

const idempotency =
  "A client that got no answer sends the request again with the same `Idempotency-Key`, and nothing is changed twice.";

function effectText(route: Route): string {
  const { summary, method, audit, secretAnswer } = route;
  if (!isChange(route)) return `${summary}. Changes nothing, so it may be sent again at any time.`;
  const logged = audit === undefined ? "" : ` The operation log says \`${audit.method}\`, \`${audit.function}\`.`;
  const repeated = method === "GET" || secretAnswer ? "" : ` ${idempotency}`;
  return `${summary}.${logged}${repeated}`;
}

/** Peculiarities that the caller has to know. */
function hints(route: Route): string[] {
  const { responseType, cutAt, wholeToo, answerStatus, secretAnswer, textFormat } = route;
  return [
    route.preview &&
      "Try it first with `dryRun=true`: the answer shows each object that would change, and nothing is written.",
    route.freeze !== undefined &&
      "While a freeze holds for its production environment it is refused, unless `override_reason` says why it must be and the caller may override.",
    responseType === "events" && "Lines come as server-sent events until the client leaves or the source ends.",
    responseType === "stream" && "The text is sent as it is read, however long it is.",
    wholeToo && "Without a page number the whole list is answered, as far as it fits.",
    cutAt !== undefined &&
      "A list that would make the answer too large is cut; the header `X-Truncated` says how much of it is there.",
    answerStatus === 202 && "The request is accepted, and what follows comes later.",
    secretAnswer && "The answer holds a secret that is shown this once: keep it, and do not log it.",
    textFormat && `\`format=${textFormat.name}\` answers ${textFormat.mediaType} instead.`,
  ].filter((one) => typeof one === "string");
}

function failureText(route: Route): string {
  const { scope, body, permission } = route;
  const causes = [
    "400 names each wrong field of the request and what would be right",
    permission.kind !== "public" && "401 means that the token is missing, wrong or expired",
    permission.kind !== "public" && permission.kind !== "authenticated" && "403 that its user may not do this",
    /[:{]/.test(route.path) || scope.project !== undefined
      ? "404 that the project or the record does not exist"
      : undefined,
    isChange(route) && "409 that another change came first: read the record and try again",
    body !== undefined && "413 that the body is too large",
    "503 asks to repeat the request after the seconds of `Retry-After`",
  ].filter((one) => typeof one === "string");
  return `What may go wrong: ${causes.join("; ")}.`;
}
