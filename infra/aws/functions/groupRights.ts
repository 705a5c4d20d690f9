import { ending } from "../../../functions/engine/machines.ts";
import type { Right } from "./rights.ts";

/** Planning a change renders texts, asks the cluster, and starts the state machine and what looks after it. */
const planning = [
  "readObjects",
  "writeObjects",
  "seal",
  "unseal",
  "enterClusters",
  "pullImages",
  "startChange",
  "stopChange",
  "startTeller",
  // Charts are rendered by the function that has Helm.
  "askHelm",
] as const satisfies readonly Right[];

/** A function that starts tasks ends them too. */
const starting: readonly Right[] = [...ending, "readObjects", "startTask", "completeTask"];

/** What an endpoint group may do beside what all groups may, by the group's name. */
export const groupRights: Readonly<Record<string, readonly Right[]>> = {
  // A higher limit starts tasks that wait.
  identity: ["bootstrapSecret", "startTask", "startTeller", "sealForSignIn"],
  sso: ["askIdentityProvider"],
  clusters: ["seal", "unseal", "enterClusters"],
  registries: ["seal", "unseal", "enterClusters", "pullImages", "startRegistryRefresh"],
  // With a project go its tasks.
  projects: [...new Set([...planning, ...starting])],
  collaborations: planning,
  // A change that takes a wait over settles it.
  environments: [...planning, "completeTask", "startRegistryRefresh", "startSleepSchedule"],
  // A version is deployed as every change of an environment is; it seals nothing.
  delivery: [...planning.filter((right) => right !== "seal"), "startVersion"],
  // A client that follows changes may follow the services of an environment too.
  events: ["openStreams", "openSockets", "unseal", "enterClusters"],
  // The console's pages may connect there.
  meta: ["openSockets"],
  logs: ["openStreams", "readObjects", "readJobObjects", "listJobObjects", "unseal", "enterClusters"],
  // Charts are fetched with the logins of their repositories and code hosts.
  services: ["readObjects", "writeObjects", "unseal", "pullImages", "askHelm"],
  // What takes secrets in never reads them again.
  integrations: ["seal"],
  builds: ["readObjects", "writeObjects", "seal"],
  // Charts are fetched with the logins of their repositories; services that follow one are linted.
  templates: ["readObjects", "writeObjects", "seal", "unseal", "pullImages", "askHelm"],
  quality: starting,
  statistics: ["readObjects"],
  // What plans let go is ended by their follower; a preview fetches charts and has them rendered.
  releaseplans: [...starting.filter((right) => right !== "completeTask"), "enterClusters", "pullImages", "askHelm"],
  workflows: starting,
};
