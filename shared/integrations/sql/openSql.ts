import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { type OutboundTcp, outboundTcp } from "../../base/outbound/outboundTcp.ts";
import type { SqlDialect } from "../rules/sqlStatements.ts";
import { ServerRefused, ServerUnavailable } from "../server/serverErrors.ts";
import { openMysql } from "./mysql.ts";
import { openPostgresql } from "./postgresql.ts";
import { NoTls, type SqlLogin, type SqlSession } from "./sqlSession.ts";

export interface SqlAccess extends Pick<SqlLogin, "host" | "username" | "password" | "database"> {
  dialect: SqlDialect;
  port: number;
  /** Authorities in PEM; empty: those that everyone knows. */
  ca: string;
}

const connectSeconds = 15;

/**
 * A session of a database at a checked address. It has TLS where the database has it; without TLS, and with a certificate that
 * no known authority signed, it connects only to addresses that the operator allowed (decisions 5.8).
 * @throws ServerRefused with a sentence for users; ServerUnavailable
 */
export async function openSql(access: SqlAccess): Promise<SqlSession> {
  const open = access.dialect === "mysql" ? openMysql : openPostgresql;
  const { socket, mayBePlain } = await connect(access);
  const rejectUnauthorized = !mayBePlain || access.ca !== "";
  const tls = { rejectUnauthorized, ...(access.ca !== "" && { ca: access.ca }) };
  try {
    return await open({ ...access, socket, tls });
  } catch (error) {
    if (!(error instanceof NoTls)) throw error;
    if (mayBePlain && access.ca === "")
      return open({ ...access, socket: (await connect(access)).socket, tls: undefined });
    throw new ServerRefused(`the database at ${access.host} has no TLS, which it must have`);
  }
}

async function connect({ host, port }: SqlAccess): Promise<OutboundTcp> {
  try {
    return await outboundTcp(operatorPolicy(), { host, port }, connectSeconds);
  } catch (error) {
    if (error instanceof OutboundRefused) throw new ServerRefused(error.message, { cause: error });
    if (error instanceof OutboundFailed) throw new ServerUnavailable(error.message, { cause: error });
    throw error;
  }
}
