import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { openSql as OpenSql } from "../../../shared/integrations/sql/openSql.ts";
import { hasMariadb, hasPostgresql, startMariadb, startPostgresql } from "../../harness/databases.ts";
import { type Bundled, bundled } from "./bundled.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let bundle: Bundled;

beforeAll(() => {
  process.env.SLIPWAY_OUTBOUND_ALLOW = "127.0.0.0/8";
  bundle = bundled("shared/integrations/sql/openSql.ts");
});

afterAll(() => {
  delete process.env.SLIPWAY_OUTBOUND_ALLOW;
  bundle?.remove();
});

const moduleOf = (file: string) => import(/* @vite-ignore */ join(bundle.directory, file));

test("clients of databases load from a bundle, each by itself", async () => {
  const files = readdirSync(bundle.directory).filter((file) => file.endsWith(".mjs"));
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) await expect(moduleOf(file)).resolves.toBeDefined();
});

test.each([
  ["postgresql", hasPostgresql, startPostgresql],
  ["mysql", hasMariadb, startMariadb],
] as const)("a session of %s works from a bundle", async (dialect, has, start) => {
  if (!has) return;
  const { openSql } = (await moduleOf("index.mjs")) as { openSql: typeof OpenSql };
  const server = await start();
  const { port, username, password } = server;
  try {
    const session = await openSql({ dialect, host: "127.0.0.1", port, username, password, database: "shop", ca: "" });
    const answer = await session.run("SELECT 'größe 大 😀' AS a, 1 AS b");
    await session.close();
    expect(answer.rows?.first).toEqual([{ a: "größe 大 😀", b: "1" }]);
  } finally {
    await server.close();
  }
});
