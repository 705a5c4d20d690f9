import { type CheckedRequest, type CheckedResponse, checkedFetch } from "../../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../../base/outbound/outboundErrors.ts";
import { NotDelivered, undeliverable } from "./notDelivered.ts";

const maxAnswerBytes = 64 * 1024;

/**
 * POSTs JSON through the checked connector (decisions 5.8).
 * @returns status and text of the answer, whatever they are
 * @throws NotDelivered when the address is refused or does not answer
 */
export async function postJson(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: string }> {
  const answer = await sendJson(address, { method: "POST", body, headers });
  return { status: answer.status, body: answer.body.toString("utf8") };
}

/**
 * One request through the checked connector, of JSON where it has a body.
 * @throws NotDelivered when the address is refused or does not answer
 */
export async function sendJson(
  address: string,
  { headers = {}, ...request }: Omit<CheckedRequest, "body"> & { body?: string },
): Promise<CheckedResponse> {
  const { body } = request;
  const ofBody: Record<string, string> =
    body === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  try {
    return await checkedFetch(operatorPolicy(), address, {
      ...{ maxBytes: maxAnswerBytes, ...request },
      headers: { "user-agent": "Slipway", ...headers, ...ofBody },
    });
  } catch (error) {
    if (error instanceof OutboundRefused) throw undeliverable(error.message);
    if (error instanceof OutboundFailed) throw new NotDelivered(error.message, { isWorthAnother: true, cause: error });
    if ((error as NodeJS.ErrnoException).code === "ERR_INVALID_CHAR")
      throw undeliverable("the token has characters that a header cannot carry");
    throw error;
  }
}
