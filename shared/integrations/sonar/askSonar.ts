import type * as z from "zod";
import { callServer, jsonAnswer } from "../server/callServer.ts";
import { ServerRefused } from "../server/serverErrors.ts";

export interface SonarAccess {
  /** The server's address, with the path that it may have. */
  address: string;
  token: string;
}

/**
 * One GET of SonarQube's web API. The token is sent as the login, with an empty password: every version takes that.
 * @param what is asked for, in words for the sentence of a 404
 * @throws ServerRefused with a sentence for users; ServerUnavailable
 */
export async function askSonar<S extends z.ZodType>(
  { address, token }: SonarAccess,
  path: string,
  { query, answer, what }: { query: Readonly<Record<string, string>>; answer: S; what: string },
): Promise<z.output<S>> {
  const authorization = `Basic ${Buffer.from(`${token}:`).toString("base64")}`;
  const sonar = { name: "SonarQube", address, headers: { authorization, accept: "application/json" } };
  const found = await callServer(sonar, `${path}?${new URLSearchParams(query)}`, { what, accepts: [401, 403] });
  if (found.status === 401) throw new ServerRefused("SonarQube does not accept the token of the integration");
  if (found.status === 403) throw new ServerRefused(`the token of the integration may not read ${what} from SonarQube`);
  return jsonAnswer(sonar, found, answer, what);
}
