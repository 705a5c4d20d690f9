import { expect } from "vitest";
import { type Answer, type Slipway, startSlipway } from "./slipway.ts";

export interface Refusal {
  code: number;
  message: string;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

export interface DefinitionCalls {
  slipway: Slipway;
  ok<T = { message: string }>(method: string, path: string, body?: unknown): Promise<T>;
  refused(method: string, path: string, body?: unknown): Promise<Answer<Refusal>>;
}

/** A repository of the code host that `startForDefinitions` adds. */
export const repo = { codehost_name: "git", repo_namespace: "team", repo_name: "web", branch: "main" };

/** Calls whose outcome is certain, of the administrator. */
export function definitionCallsOf(slipway: Slipway): DefinitionCalls {
  const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await slipway.call<T>(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  };
  const refused = async (method: string, path: string, body?: unknown): Promise<Answer<Refusal>> => {
    const answer = await slipway.call<Refusal>(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeGreaterThanOrEqual(400);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
    return answer;
  };
  return { slipway, ok, refused };
}

/** An installation with the projects `shop` and `other`, and what builds, tests and code scans may refer to. */
export async function startForDefinitions(): Promise<DefinitionCalls> {
  const calls = definitionCallsOf(await startSlipway());
  const { ok } = calls;
  for (const project_key of ["shop", "other"])
    await ok("POST", "/openapi/projects/project", { project_key, project_name: project_key, project_type: "yaml" });
  const host = { type: "gitlab", address: "https://git.example.com", auth_type: "token", access_token: "t" };
  await ok("POST", "/api/aslan/system/codehosts", { ...host, alias: "git" });
  await ok("POST", "/api/aslan/system/basicImages", { label: "node 24", value: "node:24" });
  await ok("POST", "/api/aslan/template/dockerfile", { name: "node", content: "FROM node:24\n" });
  return calls;
}

/** The record of a list that has this name. */
export async function idOf({ ok }: DefinitionCalls, path: string, field: string, name: string): Promise<string> {
  const records = await ok<Record<string, unknown>[]>("GET", path);
  return String(records.find((record) => record[field] === name)?.id);
}
