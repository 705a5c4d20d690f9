import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterEach, expect, test, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "slipway-tracing-"));

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("a bundle that no layer gives OpenTelemetry goes on without it", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
  const entry = fileURLToPath(new URL("../../../../shared/base/tracing/openTelemetry.ts", import.meta.url));
  const outfile = join(folder, "bundle.mjs");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
  const { openTelemetry } = await import(pathToFileURL(outfile).href);
  expect(openTelemetry()).toBeUndefined();
});
