import { type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { VendorRefused, VendorUnavailable } from "./vendorErrors.ts";

const maxAnswerBytes = 1_048_576;

export interface VendorCall {
  /** A POST with this as JSON; a GET where it is left out. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface VendorAnswer {
  status: number;
  body: Record<string, unknown>;
}

/**
 * One call of a chat service's interface. A refusal comes with status 200 like any other answer: the caller interprets
 * what the answer says.
 * @throws VendorUnavailable when no JSON answer comes, or the service asks for patience; VendorRefused for an address
 * that is not allowed
 */
export async function callVendor(address: string, { body, headers = {} }: VendorCall = {}): Promise<VendorAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await sent(address, text, headers);
  const host = new URL(address).host;
  if (answer.status === 429) throw new VendorUnavailable(`${host} asks for patience: too many calls`);
  const parsed = parse(answer.body.toString("utf8"));
  if (parsed === undefined || answer.status >= 500)
    throw new VendorUnavailable(`${host} answered HTTP ${answer.status}${parsed === undefined ? " without JSON" : ""}`);
  return { status: answer.status, body: parsed };
}

async function sent(
  address: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<CheckedResponse> {
  const all = { "user-agent": "Slipway", ...headers };
  try {
    return await checkedFetch(operatorPolicy(), address, {
      ...(body === undefined
        ? { headers: all }
        : {
            method: "POST",
            headers: {
              ...{ "content-type": "application/json; charset=utf-8", ...all },
              "content-length": String(Buffer.byteLength(body)),
            },
            body,
          }),
      maxBytes: maxAnswerBytes,
    });
  } catch (error) {
    if (error instanceof OutboundRefused) throw new VendorRefused(error.message);
    if (error instanceof OutboundFailed) throw new VendorUnavailable(error.message, { cause: error });
    throw error;
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
