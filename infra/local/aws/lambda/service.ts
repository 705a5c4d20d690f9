import { functionNameOf } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import { restJsonError } from "../restJsonError.ts";
import { type AwsRequest, type AwsResponse, type AwsService, readBody } from "../service.ts";
import type { EventQueue } from "./eventQueue.ts";
import type { FunctionRunner } from "./functionRunner.ts";

const INVOKE_PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const SYNCHRONOUS_LIMIT_BYTES = 6 * 1024 * 1024;
const EVENT_LIMIT_BYTES = 1024 * 1024;

/** Lambda's Invoke with the types RequestResponse, Event and DryRun (client-lambda, REST JSON). */
export function lambdaService(runner: FunctionRunner, queue: EventQueue): AwsService {
  return {
    async handle(request) {
      const match = INVOKE_PATH.exec(request.path);
      if (!match?.[1] || request.method !== "POST") throw new AwsError("UnknownOperationException", "only Invoke", 404);
      const name = functionNameOf(decodeURIComponent(match[1]));
      runner.check(name);
      return invoke(request, name, runner, queue);
    },
    renderError: restJsonError,
  };
}

async function invoke(
  request: AwsRequest,
  name: string,
  runner: FunctionRunner,
  queue: EventQueue,
): Promise<AwsResponse> {
  const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
  const payload = await readPayload(request, type === "Event" ? EVENT_LIMIT_BYTES : SYNCHRONOUS_LIMIT_BYTES);
  if (type === "DryRun") return { status: 204 };
  if (type === "Event") {
    queue.add(name, payload);
    return { status: 202 };
  }
  const outcome = await runner.run(name, payload);
  const headers = { "content-type": "application/json", "x-amz-executed-version": "$LATEST" };
  if (!outcome.error) return { status: 200, headers, body: outcome.payload };
  return {
    status: 200,
    headers: { ...headers, "x-amz-function-error": "Unhandled" },
    body: JSON.stringify(outcome.error),
  };
}

async function readPayload(request: AwsRequest, limitBytes: number): Promise<string> {
  const text = (await readBody(request, limitBytes)).toString("utf8");
  if (text === "") return "{}";
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new AwsError("InvalidRequestContentException", "the payload is not JSON");
  }
}
