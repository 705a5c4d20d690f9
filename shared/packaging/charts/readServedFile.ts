import { type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { AnswerTooLong, OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { ChartProblem } from "../helm/chartProblem.ts";

export interface Wanted {
  /** How messages call it: `the index of chart repository bitnami`. */
  what: string;
  url: URL;
  maxBytes: number;
  /** Sent to this origin alone, wherever it sends on to. */
  login: { origin: string; authorization: string } | undefined;
}

const maxRedirects = 3;
const timeoutSeconds = 15;

/**
 * A file that a chart repository serves, also where it sends on; each address on the way is checked.
 * @throws ChartProblem for whatever is no file
 */
export async function readServedFile(wanted: Wanted): Promise<Buffer> {
  const { what, login, maxBytes } = wanted;
  let url = wanted.url;
  for (let hops = 0; ; hops++) {
    const headers = {
      "user-agent": "slipway",
      ...(login?.origin === url.origin && { authorization: login.authorization }),
    };
    const from = hops === 0 ? "" : `${wanted.url.host} sends on to `;
    const answer = await checkedFetch(operatorPolicy(), url.href, { headers, maxBytes, timeoutSeconds }).catch(
      (error: unknown) => {
        if (error instanceof AnswerTooLong)
          throw new ChartProblem(`${what}: ${from}${url.host} sends more than ${maxBytes} bytes, which is too much`);
        if (error instanceof OutboundRefused || error instanceof OutboundFailed)
          throw new ChartProblem(`${what}: ${from}${error.message}`);
        throw error;
      },
    );
    const next = isRedirect(answer.status) ? answer.headers.location : undefined;
    if (next === undefined) return bodyOf(answer, { ...wanted, url });
    if (hops === maxRedirects)
      throw new ChartProblem(`${what}: ${wanted.url.host} sends on more than ${maxRedirects} times`);
    const target = URL.parse(next, url.href);
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new ChartProblem(`${what}: ${url.host} sends on to something that is no address`);
    url = target;
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function bodyOf({ status, headers, body }: CheckedResponse, { what, url, login }: Wanted): Buffer {
  const place = `${url.origin}${url.pathname}`;
  if (status === 401)
    throw new ChartProblem(
      login === undefined
        ? `${what}: ${url.host} asks for a login (401); give the repository a username and password`
        : `${what}: ${url.host} does not accept the username and password of the repository (401)`,
    );
  if (status === 403) throw new ChartProblem(`${what}: ${url.host} refuses (403); check what its login may read`);
  if (status === 404) throw new ChartProblem(`${what}: there is nothing at ${place} (404); check the url`);
  if (status !== 200) throw new ChartProblem(`${what}: ${url.host} answers with status ${status}; try again later`);
  if (
    /^text\/html/i.test(headers["content-type"] ?? "") ||
    /^\s*<(!doctype|html)/i.test(body.toString("latin1", 0, 64))
  )
    throw new ChartProblem(`${what}: there is a web page at ${place}, no file of a chart repository; check the url`);
  return body;
}
