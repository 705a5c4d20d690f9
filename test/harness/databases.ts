import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "./waitFor.ts";

/** A database of a test, with one user who may do everything in the database `shop`. */
export interface DatabaseServer {
  port: number;
  username: string;
  password: string;
  /** What a statement says to the administrator, as the database's own client prints it. */
  ask(statement: string): string;
  close(): Promise<void>;
}

const login = { username: "slipway", password: "pw-of-the-database" };

/** Debian has one folder a version. */
const postgresFolder = existsSync("/usr/lib/postgresql")
  ? readdirSync("/usr/lib/postgresql")
      .map((version) => `/usr/lib/postgresql/${version}/bin`)
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;
export const hasPostgresql = postgresFolder !== undefined;
export const hasMariadb = spawnSync("mariadbd", ["--version"]).status === 0;

/** Neither runs as root. */
function ownUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = Number(spawnSync("id", ["-u", "nobody"], { encoding: "utf8" }).stdout);
  return { uid: id, gid: id };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "slipway-sql-"));
  const { uid, gid } = ownUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  chmodSync(path, 0o750);
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function done(command: string, parts: readonly string[], more: object = {}): string {
  const { status, stdout, stderr } = spawnSync(command, parts, { encoding: "utf8", ...more });
  if (status !== 0) throw new Error(`${command} ${parts.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

async function started(
  process: ChildProcess,
  path: string,
  port: number,
  ask: DatabaseServer["ask"],
): Promise<DatabaseServer> {
  const answers = () => {
    try {
      return ask("SELECT 1").includes("1");
    } catch {
      return false;
    }
  };
  await waitFor("the database", async () => answers(), 60);
  return {
    ...{ ...login, port, ask },
    close: async () => {
      const ended = once(process, "exit");
      process.kill("SIGINT");
      if (process.spawnfile.includes("mariadb")) process.kill("SIGTERM");
      await ended;
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL of Debian's package on loopback, in a folder of its own. */
export async function startPostgresql(): Promise<DatabaseServer> {
  const bin = postgresFolder ?? "";
  const path = folder();
  const owner = { ...ownUser(), cwd: path };
  const port = await freePort();
  done(
    join(bin, "initdb"),
    ["-D", join(path, "data"), "-U", "admin", "--auth-host=scram-sha-256", "--auth-local=trust"],
    owner,
  );
  const parts = ["-D", join(path, "data"), "-p", String(port), "-k", path, "-h", "127.0.0.1", "-c", "fsync=off"];
  const process = spawn(join(bin, "postgres"), parts, { ...owner, stdio: "ignore" });
  const ask = (statement: string, database = "postgres") =>
    done("psql", ["-h", path, "-p", String(port), "-U", "admin", "-d", database, "-At", "-c", statement]);
  const server = await started(process, path, port, ask);
  ask(`CREATE ROLE ${login.username} LOGIN PASSWORD '${login.password}'`);
  ask(`CREATE DATABASE shop OWNER ${login.username}`);
  return { ...server, ask: (statement) => ask(statement, "shop") };
}

/** A MariaDB of Debian's package, likewise. */
export async function startMariadb(): Promise<DatabaseServer> {
  const path = folder();
  const owner = { ...ownUser(), cwd: path };
  const port = await freePort();
  const data = `--datadir=${join(path, "data")}`;
  done(
    "mariadb-install-db",
    ["--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"],
    owner,
  );
  const socket = join(path, "socket");
  const parts = ["--no-defaults", data, `--socket=${socket}`, `--port=${port}`, "--bind-address=127.0.0.1"];
  const process = spawn("mariadbd", parts, { ...owner, stdio: "ignore" });
  const ask = (statement: string, database = "") =>
    done("mariadb", [
      "--no-defaults",
      `--socket=${socket}`,
      "-u",
      "root",
      "-N",
      "-B",
      "-e",
      statement,
      ...(database ? [database] : []),
    ]);
  const server = await started(process, path, port, ask);
  ask(`CREATE DATABASE shop; CREATE USER '${login.username}'@'%' IDENTIFIED BY '${login.password}'`);
  ask(`GRANT ALL ON shop.* TO '${login.username}'@'%'`);
  return { ...server, ask: (statement) => ask(statement, "shop") };
}
