import { type CheckedResponse, checkedFetch } from "../../outbound/checkedFetch.ts";
import { operatorPolicy } from "../../outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../outbound/outboundErrors.ts";
import { NotDelivered, undeliverable } from "./notDelivered.ts";

const maxAnswerBytes = 64 * 1024;

/**
 * POSTs JSON through the checked connector (decisions 5.8).
 * @returns status and text of the answer, whatever they are
 * @throws NotDelivered when the address is refused, or nobody answers
 */
export async function postJson(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: string }> {
  const answer = await sent(address, body, headers);
  return { status: answer.status, body: answer.body.toString("utf8") };
}

async function sent(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<CheckedResponse> {
  const all = { "content-type": "application/json", "user-agent": "Slipway", ...headers };
  try {
    return await checkedFetch(operatorPolicy(), address, {
      method: "POST",
      headers: { ...all, "content-length": String(Buffer.byteLength(body)) },
      body,
      maxBytes: maxAnswerBytes,
    });
  } catch (error) {
    if (error instanceof OutboundRefused) throw undeliverable(error.message);
    if (error instanceof OutboundFailed) throw new NotDelivered(error.message, { isWorthAnother: true, cause: error });
    if ((error as NodeJS.ErrnoException).code === "ERR_INVALID_CHAR")
      throw undeliverable("the token has characters that a header cannot carry");
    throw error;
  }
}
