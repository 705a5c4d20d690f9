import type { Socket } from "node:net";

/** What a statement answers with. Values are texts as the database writes them. */
export interface SqlAnswer {
  rowsAffected: number;
  /** Undefined for a statement that has no rows to answer with. */
  rows?: {
    /** The first ones. */
    first: readonly Readonly<Record<string, string | null>>[];
    count: number;
  };
}

/** Of the rows of one answer, so many are kept; the others are counted. */
export const mostRows = 100;

/** A connection to a database. */
export interface SqlSession {
  /** Runs one statement. @throws ServerRefused with what the database says; ServerUnavailable when the connection is lost */
  run(statement: string): Promise<SqlAnswer>;
  /** The statement with which another connection of the same user ends what this one runs. */
  readonly cancelling: string;
  close(): Promise<void>;
}

/** How a session begins, on a socket that is connected already. */
export interface SqlLogin {
  socket: Socket;
  host: string;
  username: string;
  password: string;
  database: string;
  /** How its certificate is checked; undefined: without TLS. */
  tls: { ca?: string; rejectUnauthorized: boolean } | undefined;
}

/** A server that has no TLS, where it was asked for. */
export class NoTls extends Error {
  override readonly name = "NoTls";
}
