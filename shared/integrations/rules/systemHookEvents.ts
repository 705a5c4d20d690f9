/** Events of the system-wide hook (contract W 15.7). */
export const systemHookEvents = ["start_execute", "complete_execute"] as const;
export type SystemHookEvent = (typeof systemHookEvents)[number];
