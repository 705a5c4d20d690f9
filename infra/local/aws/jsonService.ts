import { AwsError } from "./awsError.ts";
import { type AwsService, parseJson, readBody } from "./service.ts";

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** What a service of the AWS JSON protocol can do: operation name → body in, body out. */
export type JsonOperations = Record<string, (body: unknown) => unknown>;

/** A service that speaks AWS JSON 1.0 or 1.1: the operation stands behind the dot of `X-Amz-Target`. */
export function jsonService(operations: JsonOperations): AwsService {
  return {
    async handle(request) {
      const name = String(request.headers["x-amz-target"] ?? "").replace(/^.*\./, "");
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation) throw new AwsError("UnknownOperationException", `there is no operation ${name}`);
      const body = parseJson((await readBody(request, BODY_LIMIT_BYTES)).toString("utf8"));
      return answer(200, (await operation(body)) ?? {});
    },
    renderError: (error) => answer(error.status, { __type: error.name, message: error.message }),
  };
}

function answer(status: number, body: unknown) {
  return { status, headers: { "content-type": "application/x-amz-json-1.0" }, body: JSON.stringify(body) };
}
