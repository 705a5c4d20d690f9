import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { LocalAws } from "../../../infra/local/aws/start.ts";

export interface AwsEndpoint {
  url: string;
  close(): Promise<void>;
}

type Body = Readonly<Record<string, string>> & { EncryptionContext: Record<string, string> };

/**
 * AWS as the SDK's own clients see it, over adapters: the few calls that bundles make in tests. What bundles do with the rest
 * is tried by `test:aws`. An action that is not here is refused by name.
 */
export async function startAwsEndpoint(
  { adapters, schedules }: LocalAws,
  secrets: Readonly<Record<string, string>>,
): Promise<AwsEndpoint> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      send(response, 400, { __type: "Refused", message: String(error) });
    }
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const content = await buffer(request);
    const action = String(request.headers["x-amz-target"] ?? "").split(".")[1];
    const name = /^\/schedules\/([^/?]+)/.exec(url)?.[1];
    if (action !== undefined) return send(response, 200, await jsonAction(action, JSON.parse(content.toString())));
    if (name !== undefined) return send(response, 200, await scheduleAction(method, name, content.toString()));
    throw new Error(`${method} ${url} is not played`);
  }

  async function scheduleAction(method: string, name: string, content: string): Promise<object> {
    if (method === "PUT") await adapters.schedules.setState(name, JSON.parse(content).State);
    if (method === "DELETE") await adapters.schedules.remove(name);
    return schedules.get(name)?.definition ?? {};
  }

  async function jsonAction(action: string, body: Body): Promise<object> {
    const { SecretId = "", CiphertextBlob = "", EncryptionContext } = body;
    switch (action) {
      case "GenerateDataKey": {
        const { key, wrapped } = await adapters.keys.generateDataKey(EncryptionContext);
        return { Plaintext: base64(key), CiphertextBlob: base64(wrapped) };
      }
      case "Decrypt":
        return {
          Plaintext: base64(
            await adapters.keys.unwrapDataKey(Buffer.from(CiphertextBlob, "base64"), EncryptionContext),
          ),
        };
      case "GetSecretValue":
        return { SecretString: secrets[SecretId] };
      default:
        throw new Error(`${action} is not played`);
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
}
