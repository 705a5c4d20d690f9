import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { awsRegion, config, keptWithConfig } from "../../settings/config.ts";
import type { Sockets } from "../adapters.ts";

/** The SDK repeats what is throttled. */
const sockets = keptWithConfig(
  () => new ApiGatewayManagementApiClient({ ...awsRegion(), endpoint: config().SLIPWAY_SOCKET_CONNECTIONS }),
);

export const post: Sockets["post"] = (ConnectionId, text) =>
  unlessGone(() => sockets().send(new PostToConnectionCommand({ ConnectionId, Data: new TextEncoder().encode(text) })));

export const close: Sockets["close"] = async (ConnectionId) => {
  await unlessGone(() => sockets().send(new DeleteConnectionCommand({ ConnectionId })));
};

/** @returns false when the connection is closed */
async function unlessGone(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "GoneException") return false;
    throw error;
  }
}
