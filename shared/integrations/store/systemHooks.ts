import type { SystemHookEvent } from "../rules/systemHookEvents.ts";
import { integrationStore } from "./integrationStore.ts";

/** What is told of every workflow's tasks (contract W 15.7). Its sealed field is `secret`. */
export interface SystemHook {
  enabled: boolean;
  address: string;
  events: readonly SystemHookEvent[];
}

/** There is at most one, under `systemHookId`. */
export const systemHooks = integrationStore<SystemHook>("system-hook");
export const systemHookId = "system-hook";
