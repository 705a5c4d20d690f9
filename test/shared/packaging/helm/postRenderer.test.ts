import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ClusterExpired } from "../../../../shared/kube/client/errors.ts";
import { ChartProblem } from "../../../../shared/packaging/helm/chartProblem.ts";
import { maxRequestBytes, type Render } from "../../../../shared/packaging/helm/kubeProxy.ts";
import { answerPostRenderer, writePostRenderer } from "../../../../shared/packaging/helm/postRenderer.ts";

let plugins: string;

beforeEach(() => {
  plugins = mkdtempSync(join(tmpdir(), "slipway-plugins-"));
});

afterEach(() => rmSync(plugins, { recursive: true, force: true }));

/** The plugin as Helm starts it, given the manifests. */
async function pass(manifests: string, render: Render) {
  await writePostRenderer(plugins);
  const child = spawn("/bin/sh", [join(plugins, "slipway/pass.sh")], { stdio: ["pipe", "pipe", "inherit", "pipe"] });
  let refusal: Error | undefined;
  const [stdin, stdout, , socket] = child.stdio as unknown as [Writable, Readable, null, Socket];
  answerPostRenderer(socket, render, (why) => {
    refusal = why;
  });
  stdin.on("error", () => undefined);
  stdin.end(manifests);
  const ended = new Promise((resolve) => child.once("close", resolve));
  return { rendered: await text(stdout), code: await ended, refusal };
}

test("Helm gets what became of the manifests, byte for byte", async () => {
  const long = `# ä 世界\n${"name: web\n".repeat(200_000)}`;
  const { rendered, code, refusal } = await pass(long, async (manifests) => `${manifests}---\nlast: $HOME "\\n"`);
  expect([code, refusal]).toEqual([0, undefined]);
  expect(rendered === `${long}---\nlast: $HOME "\\n"`).toBe(true);
});

test("no manifests are manifests, too", async () => {
  expect(await pass("", async (manifests) => manifests)).toEqual({ rendered: "", code: 0, refusal: undefined });
});

test("the plugin fails for what is refused", async () => {
  const { rendered, code, refusal } = await pass("kind: Pod\n", () => Promise.reject(new Error("not this one")));
  expect([rendered, code]).toEqual(["", 1]);
  expect(refusal).toEqual(new ChartProblem("not this one"));
});

test("what a cluster may answer later stays its error", async () => {
  const expired = new ClusterExpired("gone");
  expect((await pass("kind: Pod\n", () => Promise.reject(expired))).refusal).toBe(expired);
});

test("more than an object may have is refused", async () => {
  const { code, refusal } = await pass("x".repeat(maxRequestBytes + 10), async (manifests) => manifests);
  expect(code).not.toBe(0);
  expect(refusal?.message).toContain(`more than ${maxRequestBytes} bytes`);
});
