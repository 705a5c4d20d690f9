import { adapters, type Sockets } from "../adapters.ts";

/** Sends a text of at most 32 KB to a connection. @returns false when its client is gone */
export async function postToSocket(...given: Parameters<Sockets["post"]>): Promise<boolean> {
  return adapters()?.sockets.post(...given) ?? (await import("./socketsInAws.ts")).post(...given);
}

/** Closes a connection; one that is closed is no error. */
export async function closeSocket(connectionId: string): Promise<void> {
  await (adapters()?.sockets.close(connectionId) ?? (await import("./socketsInAws.ts")).close(connectionId));
}

/** Makes a connection follow the services of an environment, or none. @returns false where it cannot, as in AWS */
export async function followServicesBySocket(...given: Parameters<Sockets["followServices"]>): Promise<boolean> {
  return (await adapters()?.sockets.followServices(...given)) ?? false;
}
