import { integrationStore } from "./integrationStore.ts";

/** A SonarQube server that code scans report to (decisions 7.7). Its sealed field is `token`. */
export interface SonarServer {
  /** What code scans name it by. */
  systemIdentity: string;
  /** As it was given. */
  serverAddress: string;
}

export const sonarServers = integrationStore<SonarServer>("sonar");
