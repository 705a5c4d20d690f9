import type * as z from "zod";
import { type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { SonarRefused, SonarUnavailable } from "./sonarErrors.ts";

export interface SonarAccess {
  /** The server's address, with the path that it may have. */
  address: string;
  token: string;
}

/**
 * One GET of SonarQube's web API. The token is sent as the login, with an empty password: every version takes that.
 * @param what is asked for, in words for the sentence of a 404
 * @throws SonarRefused with a sentence for users; SonarUnavailable
 */
export async function askSonar<S extends z.ZodType>(
  { address, token }: SonarAccess,
  path: string,
  { query, answer, what }: { query: Readonly<Record<string, string>>; answer: S; what: string },
): Promise<z.output<S>> {
  const url = `${address.replace(/\/+$/, "")}/${path}?${new URLSearchParams(query)}`;
  const { status, body } = await get(url, `Basic ${Buffer.from(`${token}:`).toString("base64")}`);
  if (status === 429 || status >= 500) throw new SonarUnavailable(`SonarQube answers with status ${status}`);
  if (status === 401) throw new SonarRefused("SonarQube does not accept the token of the integration");
  if (status === 403) throw new SonarRefused(`the token of the integration may not read ${what} from SonarQube`);
  if (status === 404) throw new SonarRefused(`SonarQube does not know ${what}`);
  if (status !== 200) throw new SonarRefused(`SonarQube answers with status ${status} when asked for ${what}`);
  const read = answer.safeParse(jsonOf(body));
  if (!read.success) throw new SonarRefused(`the server at SonarQube's address does not report ${what}`);
  return read.data;
}

async function get(url: string, authorization: string): Promise<CheckedResponse> {
  try {
    return await checkedFetch(operatorPolicy(), url, { headers: { authorization, accept: "application/json" } });
  } catch (error) {
    if (error instanceof OutboundRefused) throw new SonarRefused(error.message, { cause: error });
    if (error instanceof OutboundFailed) throw new SonarUnavailable(error.message, { cause: error });
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
