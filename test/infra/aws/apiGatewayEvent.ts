import { randomUUID } from "node:crypto";

/** The event of a REST API's proxy integration, whole, as API Gateway sends it for a call to the stage `slipway`. */
export function apiGatewayEvent(method: string, address: string, options: { token?: string; body?: unknown } = {}) {
  const { pathname: path, searchParams } = new URL(address, "https://gateway");
  const headers: Record<string, string> = {
    Accept: "*/*",
    Host: "abcdefghij.execute-api.us-east-1.amazonaws.com",
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
    ...(options.body !== undefined && { "Content-Type": "application/json" }),
  };
  const names = [...new Set(searchParams.keys())];
  const multiValue = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters:
      names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, searchParams.get(name)])),
    multiValueQueryStringParameters: names.length === 0 ? null : multiValue,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "abcdefghij",
      httpMethod: method,
      identity: { sourceIp: "203.0.113.7", userAgent: "curl/8.5.0" },
      path: `/slipway${path}`,
      protocol: "HTTP/1.1",
      requestId: randomUUID(),
      resourcePath: "/{proxy+}",
      stage: "slipway",
    },
    body: options.body === undefined ? null : JSON.stringify(options.body),
    isBase64Encoded: false,
  };
}
