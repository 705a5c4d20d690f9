import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join, resolve, sep } from "node:path";
import ssh2, { type Connection } from "ssh2";

/** Whether this machine has an SSH client. */
export const hasSsh = spawnSync("ssh", ["-V"]).error === undefined;

export interface SshServer {
  /** `ssh://git@host:port` */
  url: string;
  /** Of the one who may read, in the form of OpenSSH. */
  privateKey: string;
  /** Commands of whoever signed in, and `refused`. */
  requests: string[];
  close(): Promise<void>;
}

const { private: hostKey } = ssh2.utils.generateKeyPairSync("ed25519");

/** A key pair that nobody knows yet. */
export const newSshKey = () => ssh2.utils.generateKeyPairSync("ed25519");

/** Serves the repositories of a folder over SSH, on loopback, to whoever has the key. */
export async function startSshServer(folder: string): Promise<SshServer> {
  const requests: string[] = [];
  const reader = newSshKey();
  const known = ssh2.utils.parseKey(reader.public);
  if (known instanceof Error) throw known;
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection.on("error", () => {});
    connection.on("close", () => connections.delete(connection));
    connection.on("authentication", (attempt) => {
      if (attempt.method !== "publickey") return attempt.reject(["publickey"]);
      const isKnown =
        attempt.key.data.equals(known.getPublicSSH()) &&
        (attempt.signature === undefined ||
          attempt.blob === undefined ||
          known.verify(attempt.blob, attempt.signature) === true);
      if (isKnown) return attempt.accept();
      requests.push("refused");
      attempt.reject(["publickey"]);
    });
    connection.on("session", (accept) => {
      accept().on("exec", (acceptCommand, refuse, { command }) => {
        const path = /^git-upload-pack '\/?(.+)'$/.exec(command)?.[1];
        const place = resolve(join(folder, path ?? ""));
        if (path === undefined || !place.startsWith(`${folder}${sep}`)) return refuse();
        requests.push(command);
        const channel = acceptCommand();
        const git = spawn("git", ["upload-pack", place], { stdio: ["pipe", "pipe", "pipe"] });
        channel.pipe(git.stdin);
        git.stdout.pipe(channel, { end: false });
        git.stderr.pipe(channel.stderr, { end: false });
        git.on("close", (code) => {
          channel.exit(code ?? 1);
          channel.end();
        });
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ssh://git@127.0.0.1:${(server.address() as AddressInfo).port}`,
    privateKey: reader.private,
    requests,
    close: async () => {
      for (const connection of connections) connection.end();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
