import type { Connection, QueryError } from "mysql2";
import { ServerRefused, ServerUnavailable } from "../server/serverErrors.ts";
import { mostRows, NoTls, type SqlAnswer, type SqlLogin, type SqlSession } from "./sqlSession.ts";

/** A session of MySQL or MariaDB. @throws NoTls, ServerRefused, ServerUnavailable */
export async function openMysql({ socket, host, username, password, database, tls }: SqlLogin): Promise<SqlSession> {
  const { createConnection } = (await import("mysql2")).default;
  const connection = createConnection({
    ...{ host, user: username, password, stream: socket, charset: "utf8mb4", disableEval: true },
    ...(database !== "" && { database }),
    ...(tls !== undefined && { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized } }),
    // Texts as the database writes them.
    typeCast: (field) => field.string(),
  });
  await new Promise<void>((resolve, reject) => {
    connection.once("error", reject);
    connection.connect((error) => (error === null ? resolve() : reject(error)));
  }).catch((error: QueryError) => {
    socket.destroy();
    throw error.code === "HANDSHAKE_NO_SSL_SUPPORT" ? new NoTls() : inWords(error);
  });
  // What happens between statements is met by the next one.
  connection.on("error", () => undefined);
  return {
    run: (statement) => run(connection, statement),
    cancelling: `KILL QUERY ${connection.threadId}`,
    close: () => new Promise((resolve) => connection.end(() => resolve())),
  };
}

function run(connection: Connection, statement: string): Promise<SqlAnswer> {
  const first: Record<string, string | null>[] = [];
  let [count, rowsAffected, answers] = [0, 0, false];
  return new Promise((resolve, reject) => {
    const query = connection.query(statement);
    query.on("error", (error: QueryError) => reject(inWords(error)));
    query.on("fields", (fields: unknown) => {
      answers ||= fields !== undefined;
    });
    query.on("result", (row: Record<string, string | null> | { affectedRows: number }) => {
      if (!answers) rowsAffected += Number(row.affectedRows ?? 0);
      else if (++count <= mostRows) first.push({ ...row } as Record<string, string | null>);
    });
    query.on("end", () => resolve({ rowsAffected, ...(answers && { rows: { first, count } }) }));
  });
}

/** What has a state of SQL was said by the database; everything else is about the connection. */
function inWords(error: QueryError): Error {
  const isSaid = error.sqlState !== undefined && !error.fatal;
  const isLogin = /^ER_(ACCESS_DENIED|BAD_DB|DBACCESS_DENIED|NOT_SUPPORTED_AUTH)/.test(error.code ?? "");
  const options = { cause: error };
  return isSaid || isLogin ? new ServerRefused(error.message, options) : new ServerUnavailable(error.message, options);
}
