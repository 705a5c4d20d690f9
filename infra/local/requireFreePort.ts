import { once } from "node:events";
import { createServer } from "node:net";
import { StartRefused } from "./startRefused.ts";

/**
 * Finds out before anything is started whether the API's port can be had; 0 always can.
 * @throws StartRefused when something else listens on it
 */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw isPortTaken(error) ? portTaken(port) : error;
  }
  server.close();
  await once(server, "close");
}

export function portTaken(port: number): StartRefused {
  return new StartRefused(`port ${port} is in use: stop what uses it, or set SLIPWAY_PORT to another port`);
}

export function isPortTaken(error: unknown): boolean {
  return (error as { code?: string }).code === "EADDRINUSE";
}
