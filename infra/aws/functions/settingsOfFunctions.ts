import type { Api } from "../api/api.ts";
import type { Settings } from "../options/settings.ts";
import { ofIdentityProvider } from "./rights.ts";

/** What the deployment sets for every function; links lead to the console at the API's own address unless it says where. */
export function settingsOfFunctions({ given }: Settings, { address }: Api): Record<string, string> {
  const common = Object.entries(given).filter(([name]) => !ofIdentityProvider(name));
  return { SLIPWAY_CONSOLE_ADDRESS: `${address}/console`, ...Object.fromEntries(common) };
}
