import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { mcpServer } from "./server.ts";

export interface HttpPlace {
  /** Of the Slipway that callers reach with their own tokens. */
  address: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Names beside those of the loopback by which callers may reach it. */
  allowedHosts: readonly string[];
}

export interface HttpService {
  url: string;
  close(): Promise<void>;
}

const path = "/mcp";
const loopback = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Serves streamable HTTP. Nothing is kept between requests: each is carried out with the bearer token that it brings.
 * @throws Error of listen(2) when the place is taken
 */
export async function serveHttp({ address, host, port, allowedHosts }: HttpPlace): Promise<HttpService> {
  const allowed = new Set([...loopback, ...allowedHosts.map((name) => name.toLowerCase())]);
  const listening = createServer((request, response) => {
    const refusal = refusalOf(request, allowed);
    if (refusal !== undefined) return refuse(response, refusal);
    const token = bearerOf(request);
    if (token === undefined) return refuse(response, noToken);
    answer(request, response, { address, token }).catch((error: Error) => {
      if (response.headersSent) response.destroy(error);
      else refuse(response, { status: 500, message: "the request could not be carried out" });
    });
  });
  await new Promise<void>((done, fail) => listening.once("error", fail).listen(port, host, done));
  const place = listening.address();
  const taken = typeof place === "object" && place !== null ? place.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}${path}`,
    close: () =>
      new Promise((done) => {
        listening.close(() => done());
        listening.closeAllConnections();
      }),
  };
}

interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

const noToken: Refusal = {
  ...{ status: 401, message: "send the API token of the caller as `Authorization: Bearer <token>`" },
  headers: { "www-authenticate": 'Bearer realm="slipway"' },
};

/**
 * A page in a browser of this machine could reach it under a name of its own that it points to the loopback (DNS
 * rebinding): the request then has that name as its Host. Pages of elsewhere have an Origin; programs have none.
 */
function refusalOf({ headers, method, url }: IncomingMessage, allowed: ReadonlySet<string>): Refusal | undefined {
  const { host = "", origin } = headers;
  const name = nameOf(`http://${host}`);
  if (name === undefined || !allowed.has(name))
    return { status: 403, message: `it is not served under the host ${host}; \`--allow-host\` names more` };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`.toLowerCase())
    return { status: 403, message: `it is not served to pages of ${origin}` };
  if (url?.split("?")[0] !== path) return { status: 404, message: `it is served at ${path}` };
  if (method === "POST") return undefined;
  return { status: 405, message: "there are no sessions: everything is a POST", headers: { allow: "POST" } };
}

function nameOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** An error of the protocol, as the transport itself sends them. */
function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  connection: { address: string; token: string },
): Promise<void> {
  const server = mcpServer(() => connection);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  // When the client disconnects, its requests to Slipway end.
  response.once("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}
