import type * as z from "zod";
import { type CheckedRequest, type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { ServerRefused, ServerUnavailable } from "./serverErrors.ts";

/** A server that an integration names. */
export interface Server {
  /** For sentences: `Jenkins`. */
  name: string;
  /** With the path that it may have. */
  address: string;
  /** What authenticates each request. */
  headers: Readonly<Record<string, string>>;
}

export interface ServerCall extends CheckedRequest {
  /** What is asked for or done, for the sentence of a refusal: `job deploy`. */
  what: string;
  /** Other statuses that are answers; 200 to 299 always are. */
  accepts?: readonly number[];
}

/**
 * One request to a server of an integration, through the checked connector.
 * @param path below the server's address
 * @throws ServerRefused with a sentence for users; ServerUnavailable
 */
export async function callServer(server: Server, path: string, call: ServerCall): Promise<CheckedResponse> {
  const { name, address, headers } = server;
  const { what, accepts = [], ...request } = call;
  const all = { ...request, headers: { ...headers, ...request.headers } };
  const answer = await reached(`${address.replace(/\/+$/, "")}/${path}`, all);
  const { status } = answer;
  if ((status >= 200 && status < 300) || accepts.includes(status)) return answer;
  if (status === 429 || status >= 500) throw new ServerUnavailable(`${name} answers with status ${status}`);
  if (status === 401) throw new ServerRefused(`${name} does not accept the credentials of the integration`);
  if (status === 403) throw new ServerRefused(`${name} does not allow the user of the integration ${what}`);
  if (status === 404) throw new ServerRefused(`${name} does not know ${what}`);
  throw new ServerRefused(`${name} answers with status ${status} when asked for ${what}`);
}

/** The answer's JSON, as it should be. @throws ServerRefused when it is anything else */
export function jsonAnswer<S extends z.ZodType>(
  { name }: Server,
  { body }: CheckedResponse,
  schema: S,
  what: string,
): z.output<S> {
  const read = schema.safeParse(jsonOf(body));
  if (read.success) return read.data;
  throw new ServerRefused(`the server at ${name}'s address does not report ${what}`);
}

async function reached(url: string, request: CheckedRequest): Promise<CheckedResponse> {
  try {
    return await checkedFetch(operatorPolicy(), url, request);
  } catch (error) {
    if (error instanceof OutboundRefused) throw new ServerRefused(error.message, { cause: error });
    if (error instanceof OutboundFailed) throw new ServerUnavailable(error.message, { cause: error });
    throw error;
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
