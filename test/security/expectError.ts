import { expect } from "vitest";
import { errorCatalogue } from "../../shared/base/errors/catalogue.ts";
import type { Answer } from "../harness/slipway.ts";

interface ErrorBody {
  type: string;
  code: number;
  message: string;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

/** The answer is an error of this status with the five keys and the headers of every answer; returns its body. */
export function expectError(answer: Answer, status: number, what: string): ErrorBody {
  if (isOlder(what) && status === 403) return expectError(answer, 401, what);
  expect(answer.status, `${what}: ${answer.text}`).toBe(status);
  expectHeaders(answer, what);
  const { resultCode, errorMsg, ...body } = answer.json as ErrorBody & { resultCode?: number; errorMsg?: string };
  const isDoubled = isOlder(what) && (body.code === 400 || body.code === 401);
  expect(resultCode, what).toBe(isDoubled ? status : undefined);
  expect(errorMsg, what).toBe(isDoubled ? (status === 401 ? "auth failed!" : "param is illegal!") : undefined);
  expect(Object.keys(body).sort(), what).toEqual(["code", "description", "extra", "message", "type"]);
  expect(body.type, what).toBe("error");
  expect(body.message, what).toBe(errorCatalogue[body.code as keyof typeof errorCatalogue]);
  expect(body.description, what).not.toBe("");
  expect(body.extra, what).toBeTypeOf("object");
  if (body.code < 1000) expect(body.code, what).toBe(status);
  else expect(status, what).toBe(400);
  return body;
}

/** Of the older API, whose errors have two bodies in one, and whose 401 is also for those who may not (contract I 10.1). */
export function isOlder(name: string): boolean {
  return name.includes("/api/directory/workflowTask");
}

/** Request id and content type, on every answer. */
export function expectHeaders(answer: Answer, what: string, contentType = "application/json; charset=utf-8"): void {
  expect(answer.headers.get("x-request-id"), what).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("content-type"), what).toBe(contentType);
  expect(answer.headers.get("cache-control"), what).toBe("no-store");
}
