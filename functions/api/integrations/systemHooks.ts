import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import type { Integration } from "../../../shared/integrations/store/integrationStore.ts";
import { type SystemHook, systemHookId, systemHooks } from "../../../shared/integrations/store/systemHooks.ts";
import { retryOnConflict } from "../../../shared/store/retryOnConflict.ts";
import type { SystemHookBody, systemHookRoutes } from "./systemHookRoutes.ts";

export const systemHookHandlers: Handlers<typeof systemHookRoutes> = {
  getSystemHook: async () => {
    const found = await systemHooks.find(systemHookId);
    const { enabled, address, events } = found?.shown ?? { enabled: false, address: "", events: [] };
    return { enabled, address, has_secret: found?.secretFields.includes("secret") ?? false, events: [...events] };
  },
  setSystemHook: async ({ body }) => {
    await setSystemHook(body);
    return success;
  },
};

/** Makes it, or changes the one there is. */
async function setSystemHook({ enabled, address, events, secret }: SystemHookBody): Promise<void> {
  const secrets = await sealFields(systemHooks.kind, systemHookId, { secret: secret ?? "" });
  await retryOnConflict(async () => {
    const before = await systemHooks.find(systemHookId);
    const hasSecret = secret === undefined ? before?.secretFields.includes("secret") : secret !== "";
    const after: Integration<SystemHook> = {
      ...{ id: systemHookId, name: systemHookId, shown: { enabled, address, events }, kept: {} },
      secretFields: hasSecret ? ["secret"] : [],
    };
    await (before === undefined ? systemHooks.create(after, secrets) : systemHooks.change(before, after, secrets));
  });
}
