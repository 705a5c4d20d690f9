import { containerRunner } from "../container/containerRunner.ts";
import type { PluginRun } from "./planner.ts";

/** Runs the image of a plugin (contract W 5). */
export const runner = containerRunner({
  content: async ({ run }) => {
    const { image, command, args } = run as unknown as PluginRun;
    return { steps: [{ kind: "command", name: "plugin", image, command, args }] };
  },
});
