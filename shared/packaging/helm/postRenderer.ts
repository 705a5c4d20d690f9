import { mkdir, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { RetryableClusterError } from "../../kube/client/errors.ts";
import { ChartProblem } from "./chartProblem.ts";
import { maxRequestBytes, type Render } from "./kubeProxy.ts";

const name = "slipway";
const taken = "taken";
/** YAML holds no such byte (YAML 1.2, 5.1), and Helm passes on only what it could read as YAML. */
const endMark = 0;

/** Arguments that send what Helm rendered through `answerPostRenderer`. */
export const throughPostRenderer = ["--post-renderer", name] as const;

/** Which of the inherited files the plugin speaks to this process by; Helm passes on what it was started with. */
const descriptor = 3;

/**
 * The one plugin that Helm finds in its folder of plugins: a shell that passes the manifests to this process and back. A
 * process of Node would take as long as Helm itself does for a small chart.
 */
export async function writePostRenderer(plugins: string): Promise<void> {
  const folder = join(plugins, name);
  await mkdir(folder, { recursive: true });
  const program = join(folder, "pass.sh");
  const plugin = {
    apiVersion: "v1",
    type: "postrenderer/v1",
    name,
    version: "1.0.0",
    runtime: "subprocess",
    runtimeConfig: { platformCommand: [{ command: "/bin/sh", args: [program] }] },
  };
  await writeFile(join(folder, "plugin.yaml"), JSON.stringify(plugin));
  const io = `&${descriptor}`;
  const steps = [
    `cat >${io}`,
    `printf '\\0' >${io}`,
    `read -r verdict <${io}`,
    `[ "$verdict" = ${taken} ]`,
    `cat <${io}`,
  ];
  await writeFile(program, `${steps.join(" && ")}\n`, { mode: 0o600 });
}

/**
 * Answers the plugin at the other end of the socket once.
 * @param refused told why the manifests are not taken; Helm then fails before it touches the cluster
 */
export function answerPostRenderer(socket: Socket, render: Render, refused: (why: Error) => void): void {
  const parts: Buffer[] = [];
  let size = 0;
  const refuse = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    // What a cluster cannot answer now it may answer later; the rest is about what the chart holds.
    refused(error instanceof RetryableClusterError ? error : new ChartProblem(message));
    socket.end("refused\n");
  };
  // The plugin reads nothing more of what it was refused.
  socket.on("error", () => undefined);
  socket.on("data", (part: Buffer) => {
    size += part.length;
    if (size > maxRequestBytes + 1) {
      socket.removeAllListeners("data").resume();
      return refuse(new ChartProblem(`the chart's manifests have more than ${maxRequestBytes} bytes`));
    }
    parts.push(part);
    if (part.at(-1) !== endMark) return;
    render(Buffer.concat(parts).subarray(0, -1).toString("utf8")).then(
      (rendered) => socket.end(`${taken}\n${rendered}`),
      refuse,
    );
  });
}
