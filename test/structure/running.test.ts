import { load } from "js-yaml";
import { describe, expect, test } from "vitest";

import { groups } from "../../functions/api/groups.ts";
import { readRepositoryFile } from "./sourceFiles.ts";

const page = readRepositoryFile("docs/running.md");
const { start } = (JSON.parse(readRepositoryFile("package.json")) as { scripts: { start: string } }).scripts;
const [, compose = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];

describe("docs/running.md", () => {
  test("starts what `npm start` does, under systemd and in a container", () => {
    const [, unit = ""] = /^ExecStart=(.*main\.ts.*)$/m.exec(page) ?? [];
    const { services } = load(compose) as { services: { slipway: { command: string[] } } };
    expect(unit).toBe(`/opt/slipway/node_modules/.bin/${start}`);
    expect(services.slipway.command.join(" ")).toBe(`node_modules/.bin/${start}`);
  });

  test("asks addresses that are declared and need no token", () => {
    const open = groups
      .flatMap(({ routes }) => Object.values(routes))
      .filter(({ method, permission }) => method === "GET" && permission.kind === "public")
      .map(({ path }): string => path);
    const asked = [...page.matchAll(/http:\/\/127\.0\.0\.1:8080(\/\w+)/g)].map(([, path = ""]) => path);
    expect(new Set(asked)).toEqual(new Set(["/healthz", "/readyz"]));
    expect(open).toEqual(expect.arrayContaining([...new Set(asked)]));
  });
});
