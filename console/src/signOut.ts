import { keepSession, slipway } from "./session.ts";

/** Signs out in all tabs. The token ends by itself when nothing answers. */
export async function signOut(): Promise<void> {
  await slipway()
    .POST("/api/v1/logout")
    .catch(() => undefined);
  keepSession(undefined);
}
