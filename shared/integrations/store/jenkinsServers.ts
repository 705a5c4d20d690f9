import { integrationStore } from "./integrationStore.ts";

/** A Jenkins server whose jobs workflows start. Its sealed field is `password`: an API token, or the user's password. */
export interface JenkinsServer {
  name: string;
  /** As it was given, with the path that it may have. */
  url: string;
  username: string;
  /** Keys of the projects whose workflows may use it, or `<all_projects>`. */
  projects: readonly string[];
}

export const jenkinsServers = integrationStore<JenkinsServer>("jenkins");
