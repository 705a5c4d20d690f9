import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type { RegistryAccess } from "../../shared/packaging/images/registryAccess.ts";
import { accessTo, startDoor, type TestRegistry, type TestRegistryOptions } from "./testRegistry.ts";

const cache = join(tmpdir(), "slipway-distribution");
const built = join(cache, "registry");
const module = "github.com/distribution/distribution/v3/cmd/registry@v3.1.2";

/** The program of the reference registry: the one that `buildDistribution` left, or Debian's; undefined without either. */
export function distributionProgram(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [built, ...folders.map((folder) => join(folder, "docker-registry"))].find(isThere);
}

/** Builds it with Go, which takes minutes. @throws where Go is missing */
export function buildDistribution(): string {
  const env = { ...process.env, GOBIN: cache };
  execFileSync("go", ["install", module], { env, stdio: "ignore" });
  return built;
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

export interface Distribution {
  address: string;
  access: RegistryAccess;
  /** The folder that it stores in. */
  disk: string;
  /** How many requests it has answered, by its own log. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

/** `its-secret-word` by bcrypt, the only kind that the program reads. */
const passwords = "robot:$2b$04$abcdefghijklmnopqrstuukw/RtuCoixMCgonJ2XEo.Nc1464DezC\n";

/** Whether a registry may have a disk of its own. */
export const mayHaveDisk = process.getuid?.() === 0;

/**
 * Starts the program as a registry of its own on any free port of loopback.
 * @param asksLogin that of `robot`
 * @param megabytes size of a disk of its own
 */
export async function startDistribution(
  program: string,
  { asksLogin = false, megabytes }: { asksLogin?: boolean; megabytes?: number } = {},
): Promise<Distribution> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-distribution-data-"));
  const settings = join(folder, "config.yml");
  const disk = join(folder, "disk");
  await mkdir(disk);
  if (megabytes !== undefined) execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "slipway", disk]);
  const storage = { filesystem: { rootdirectory: disk }, delete: { enabled: true } };
  const auth = { htpasswd: { realm: "registry", path: join(folder, "passwords") } };
  await writeFile(auth.htpasswd.path, passwords);
  const config = {
    ...{ version: 0.1, log: { level: "info" }, storage, http: { addr: "127.0.0.1:0" } },
    ...(asksLogin && { auth }),
  };
  // JSON is YAML too.
  await writeFile(settings, JSON.stringify(config));
  const child = spawn(program, ["serve", settings], { stdio: ["ignore", "pipe", "pipe"], env: { HOME: folder } });
  const log = openAccessLog(child);
  const port = await listeningPort(child);
  const address = `127.0.0.1:${port}`;
  return {
    address,
    access: accessTo(address),
    disk,
    requests: () => log.count(address),
    close: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      if (megabytes !== undefined) execFileSync("umount", [disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The program behind a door that counts, and that can misbehave on order. @param options of logins it knows that of `robot` */
export async function startDistributionBehindDoor(
  program: string,
  { credentials }: TestRegistryOptions = {},
): Promise<TestRegistry> {
  const registry = await startDistribution(program, { asksLogin: credentials !== undefined });
  const [host = "", port] = registry.address.split(":");
  const door = await startDoor((asked, answer) => {
    const { method, url: path, headers } = asked;
    const onward = request({ host, port, method, path, headers, agent: false }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    onward.once("error", () => answer.destroy());
    // Who goes away in the middle goes away from the registry too.
    asked.once("close", () => asked.complete || onward.destroy());
    asked.pipe(onward);
  });
  const { close } = door;
  door.close = async () => {
    await close();
    await registry.close();
  };
  return door;
}

/** Counts the lines of the registry's log of requests; one of our own tells where it has come to. */
function openAccessLog({ stdout }: ChildProcess) {
  let counted = 0;
  let marks = 0;
  let seen: () => void = () => undefined;
  if (stdout !== null)
    createInterface(stdout).on("line", (line) => {
      if (line.includes(`/v2/?mark=${marks} `)) seen();
      else if (/"[A-Z]+ \/v2\//.test(line)) counted++;
    });
  return {
    async count(address: string): Promise<number> {
      marks++;
      const marked = new Promise<void>((resolve) => {
        seen = resolve;
      });
      await (await fetch(`http://${address}/v2/?mark=${marks}`)).arrayBuffer();
      await marked;
      return counted;
    },
  };
}

async function listeningPort(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("the registry has no log");
  const lines = createInterface(child.stderr);
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    const port = /listening on \S*:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    // Nobody else reads on; a full pipe would stop the registry.
    child.stderr.resume();
    return port;
  }
  throw new Error(`the registry ended: ${said.slice(-5).join("\n")}`);
}
