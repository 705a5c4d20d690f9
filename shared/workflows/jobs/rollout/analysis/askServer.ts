import { unseal } from "../../../../base/aws/secrets/sealedSecret.ts";
import { parsedJson } from "../../../../base/common/parsedJson.ts";
import { checkedFetch } from "../../../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../../../base/outbound/outboundErrors.ts";
import { findIntegrationSecret } from "../../../../integrations/store/findIntegrationSecret.ts";
import { type MetricServer, metricServers } from "../../../../integrations/store/metricServers.ts";
import { secondsOfLook } from "./analyses.ts";
import { NoValue } from "./noValue.ts";

/**
 * What a server of the installation answers at a path below its address, as JSON.
 * @throws NoValue when it is gone or of another type, does not answer in time, or answers something else
 */
export async function askServer(id: string, type: MetricServer["type"], path: string): Promise<unknown> {
  const { kind } = metricServers;
  const [server, sealed] = await Promise.all([metricServers.find(id), findIntegrationSecret(kind, id, "token")]);
  if (server === undefined) throw new NoValue(`the integration ${id} does not exist`);
  if (server.shown.type !== type) throw new NoValue(`the integration ${server.name} is a ${server.shown.type} server`);
  const token = sealed && (await unseal(sealed, { record: `${kind}:${id}`, field: "token" }));
  const headers = { accept: "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const { status, body } = await get(`${server.shown.address.replace(/\/+$/, "")}${path}`, headers);
  if (status < 200 || status >= 300) throw new NoValue(`${server.name} answers with status ${status}${said(body)}`);
  const answered = parsedJson(body.toString("utf8"));
  if (answered === undefined) throw new NoValue(`${server.name} does not answer with JSON`);
  return answered;
}

async function get(address: string, headers: Record<string, string>) {
  try {
    return await checkedFetch(operatorPolicy(), address, { headers, timeoutSeconds: secondsOfLook });
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw new NoValue(error.message, { cause: error });
    throw error;
  }
}

/** Prometheus says what is wrong with a query. */
function said(body: Buffer): string {
  const [, error] = /"error":\s*"([^"\\]{1,200})/.exec(body.toString("utf8", 0, 2000)) ?? [];
  return error === undefined ? "" : `: ${error}`;
}
