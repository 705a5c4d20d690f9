import { isIP, type Socket } from "node:net";
import type { Client, Query } from "pg";
import { ServerRefused, ServerUnavailable } from "../server/serverErrors.ts";
import { mostRows, NoTls, type SqlAnswer, type SqlLogin, type SqlSession } from "./sqlSession.ts";

/** A session of PostgreSQL. @throws NoTls, ServerRefused, ServerUnavailable */
export async function openPostgresql({
  socket,
  host,
  username,
  password,
  database,
  tls,
}: SqlLogin): Promise<SqlSession> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    ...{ host, user: username, password, application_name: "slipway", stream: () => connected(socket) },
    ...(database !== "" && { database }),
    // A name of a server is sent and checked; an address has none.
    ssl: tls === undefined ? false : { ...tls, ...(isIP(host) === 0 && { servername: host }) },
    // Texts as the database writes them.
    types: { getTypeParser: () => (text: unknown) => text as string },
  });
  // What happens between statements is met by the next one.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw /does not support SSL/.test(messageOf(error)) ? new NoTls() : inWords(error);
  }
  return {
    run: (statement) => run(client, new pg.Query(statement)),
    cancelling: `SELECT pg_cancel_backend(${(client as unknown as { processID: number }).processID})`,
    close: () => client.end().catch(() => undefined),
  };
}

/** The client connects what it is given; this is connected, to an address that was checked. */
function connected(socket: Socket): Socket {
  return Object.assign(socket, {
    connect: () => {
      queueMicrotask(() => socket.emit("connect"));
      return socket;
    },
  });
}

function run(client: Client, query: Query): Promise<SqlAnswer> {
  const first: Record<string, string | null>[] = [];
  let count = 0;
  return new Promise((resolve, reject) => {
    const lost = () => reject(new ServerUnavailable("the connection to the database was lost"));
    client.once("end", lost);
    const settle = (done: () => void) => {
      client.off("end", lost);
      done();
    };
    query.on("row", (row: Record<string, string | null>) => {
      count += 1;
      if (first.length < mostRows) first.push(row);
    });
    query.on("error", (error: unknown) => settle(() => reject(inWords(error))));
    query.on("end", ({ rowCount, fields }) => {
      const answers = (fields?.length ?? 0) > 0;
      settle(() =>
        resolve({ rowsAffected: answers ? 0 : (rowCount ?? 0), ...(answers && { rows: { first, count } }) }),
      );
    });
    client.query(query);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What has a code of SQL was said by the database; everything else is about the connection. */
function inWords(error: unknown): Error {
  const code = (error as { code?: unknown }).code;
  const isSaid = typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
  const options = { cause: error };
  return isSaid ? new ServerRefused(messageOf(error), options) : new ServerUnavailable(messageOf(error), options);
}
