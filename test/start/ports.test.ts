import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processesNaming, startProgram } from "../harness/program.ts";

/** The parent of a process: proc(5), the second field after the name. */
function parentOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}

function treeOf(root: string): string[] {
  const parents = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => [pid, parentOf(pid)] as const);
  const below = (pid: string): string[] => [
    pid,
    ...parents.flatMap(([child, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root);
}

function socketsOf(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, descriptor)))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** Addresses and ports on which a process or one below it listens, as `0100007F:1F90` is written in /proc/net/tcp. */
function listenedOn(root: number): { address: string; port: number }[] {
  const sockets = new Set(treeOf(String(root)).flatMap(socketsOf));
  const lines = ["tcp", "tcp6"].flatMap((file) =>
    readFileSync(`/proc/net/${file}`, "utf8").trim().split("\n").slice(1),
  );
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    return state === "0A" && sockets.has(inode) ? [{ address, port: Number.parseInt(port, 16) }] : [];
  });
}

const loopback = "0100007F";
const portOf = (address = "") => Number(new URL(address.includes("://") ? address : `http://${address}`).port);

test("after a start the gateway, the registry and the sandbox cluster are listened on, on loopback, and nothing else", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-ports-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const program = await startProgram({ SLIPWAY_DATA_DIR: dataDir });
  onTestFinished(() => {
    for (const pid of processesNaming(dataDir).keys()) process.kill(pid, "SIGKILL");
  });
  onTestFinished(async () => void (await program.end("SIGKILL")));
  const kubeconfig = readFileSync(/KUBECONFIG=(\S+)/.exec(program.output())?.[1] ?? "", "utf8");
  const cluster = /server: "?(\S+?)"?$/m.exec(kubeconfig)?.[1];
  const wanted = [program.url, program.printed("Image registry"), cluster].map(portOf);
  expect(new Set(wanted).size).toBe(3);

  const listening = listenedOn(program.pid);
  expect(listening.map(({ port }) => port).sort()).toEqual(wanted.sort());
  expect(listening.filter(({ address }) => address !== loopback)).toEqual([]);
});
