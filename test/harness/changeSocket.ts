import { WebSocket } from "ws";
import { adminToken, call } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

export interface Told {
  id: string;
  type: string;
  key?: string;
  project_key?: string;
  task_id?: number;
  state?: string;
}

interface Message {
  type: string;
  changes?: Told[];
  reason?: string;
  description?: string;
  id?: string;
}

/** A change socket as a client has it. */
export interface ChangeSocket {
  protocol: string;
  messages: Message[];
  /** All changes that came, in their order. */
  told(): Told[];
  send(message: unknown): void;
  /** Sends what is to be followed, and waits for the answer. */
  follow(asked?: object): Promise<void>;
  until(what: string, holds: (told: Told) => boolean, seconds?: number): Promise<Told>;
  /** The code that it was closed with, once it is. */
  closed(): Promise<number>;
  leave(): void;
}

export interface Ticket {
  address: string;
  protocols: string[];
  expires_in: number;
}

export async function getTicket(url: string, token: string | null = adminToken): Promise<Ticket> {
  const { status, text, json } = await call<Ticket>(url, "POST", "/openapi/events/socket", { token });
  if (status !== 200) throw new Error(`no ticket: ${status} ${text}`);
  return json;
}

/** Opens a socket with a ticket of the token. @param address where the stand-in for AWS plays the WebSocket API */
export async function openSocket(url: string, token: string = adminToken, address?: string): Promise<ChangeSocket> {
  const ticket = await getTicket(url, token);
  return connectWith(address ?? new URL(ticket.address, url).href.replace(/^http/, "ws"), ticket.protocols);
}

/** @throws Error "status <n>" when the server refuses the handshake */
export async function connectWith(address: string, protocols: string[]): Promise<ChangeSocket> {
  const socket = new WebSocket(address, protocols);
  const messages: Message[] = [];
  let code: number | undefined;
  socket.on("message", (data) => messages.push(JSON.parse(String(data)) as Message));
  socket.once("close", (given) => {
    code = given;
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", reject);
    socket.once("unexpected-response", (_, { statusCode }) => reject(new Error(`status ${statusCode}`)));
  });
  const told = () => messages.flatMap(({ changes = [] }) => changes);
  return {
    protocol: socket.protocol,
    messages,
    told,
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    async follow(asked = {}) {
      const before = told().filter(({ type }) => type === "current").length;
      socket.send(JSON.stringify({ action: "follow", ...asked }));
      await waitFor("the answer", async () => told().filter(({ type }) => type === "current").length > before, 20);
    },
    until: (what, holds, seconds = 20) => waitFor(what, async () => told().find(holds), seconds),
    closed: () => waitFor("the socket to be closed", async () => code, 20),
    leave: () => socket.close(),
  };
}
