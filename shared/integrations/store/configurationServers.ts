import { integrationStore } from "./integrationStore.ts";

export const configurationTypes = ["nacos", "apollo"] as const;

/** A server whose configurations workflows change. Its sealed field is `password` for Nacos, `token` for Apollo. */
export interface ConfigurationServer {
  systemIdentity: string;
  type: (typeof configurationTypes)[number];
  /** As it was given, with the path that it may have. */
  serverAddress: string;
  /** Of Nacos, who logs in; of Apollo, in whose name changes are made. May be empty. */
  user: string;
  /** Keys of the projects whose workflows may use it, or `<all_projects>`. */
  projects: readonly string[];
}

export const configurationServers = integrationStore<ConfigurationServer>("configuration");
