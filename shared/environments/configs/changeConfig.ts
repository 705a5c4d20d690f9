import { ApiError } from "../../base/errors/apiError.ts";
import { Busy } from "../../base/errors/busy.ts";
import { newId, nowSeconds } from "../../base/store/ids.ts";
import { holdLease, releaseLease } from "../../base/store/leases.ts";
import { table } from "../../base/store/table.ts";
import { conflictedOn, type Item } from "../../base/store/tableClient.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { checkSeconds } from "../limits.ts";
import { requireConsent } from "../plan/boundsOf.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import type { ConfigType } from "../rules/configObject.ts";
import {
  type ConfigChange,
  type ConfigName,
  type ConfigNotes,
  type ConfigRecord,
  configChangeWrites,
  environmentMustStay,
  findConfig,
} from "../store/configRecords.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { follow, unfollow } from "../store/followedConfigs.ts";
import { type ConfigOnCluster, configOnCluster } from "./configOnCluster.ts";
import { storeConfigText } from "./configText.ts";

/** A configuration of an environment as record and cluster have it. */
export interface ConfigSeen extends ConfigOnCluster {
  environment: Item<EnvironmentRecord>;
  record: Item<ConfigRecord> | undefined;
}

/** A configuration while no other request may change it. */
export interface ConfigInHand extends ConfigSeen {
  /** Adds a change to the history; `notes` of the record stay where none are given. */
  note(change: {
    operation: ConfigChange["operation"];
    yaml: string;
    notes?: Partial<ConfigNotes>;
    /** Of the file that the configuration follows from now on. */
    fileDigest?: string | undefined;
  }): Promise<void>;
}

/** Longer than everything that is done in hand; a crash gives the object free after that. */
const heldSeconds = 3 * checkSeconds;

/**
 * Changes one configuration object under a lease, so that two changes of it never interleave. The cluster is changed
 * before the history: what is written there has happened.
 * @throws ApiError 404 unknown environment; 6076 while it is being created or deleted
 */
export async function changeConfig(
  at: EnvironmentName,
  type: ConfigType,
  name: string,
  actor: Actor,
  work: (config: ConfigInHand) => Promise<void>,
): Promise<void> {
  const config: ConfigName = { projectKey: at.projectKey, envKey: at.envKey, configType: type, name };
  const environment = await requireQuiet(at, config);
  await requireConsent(environment, actor);
  const lease = `config#${environment.environmentId}#${type}#${name}`;
  const holder = newId();
  if (!(await holdLease(lease, holder, heldSeconds)))
    throw new Busy(`${type} ${name} is being changed at this moment; try again`);
  try {
    // Read again under the lease: the record may have changed before it was taken.
    const seen = await seenAt(environment, config);
    const note: ConfigInHand["note"] = (change) => noteChange(environment, config, seen.record, actor, change);
    await work({ ...seen, note });
  } finally {
    await releaseLease(lease, holder);
  }
}

/** Looks at one configuration object without holding it. @throws ApiError as `changeConfig` */
export async function seeConfig(at: EnvironmentName, type: ConfigType, name: string): Promise<ConfigSeen> {
  const config: ConfigName = { projectKey: at.projectKey, envKey: at.envKey, configType: type, name };
  return seenAt(await requireQuiet(at, config), config);
}

async function seenAt(environment: Item<EnvironmentRecord>, config: ConfigName): Promise<ConfigSeen> {
  const [found, onCluster] = await Promise.all([
    findConfig(config, { consistent: true }),
    configOnCluster(environment, config.configType, config.name),
  ]);
  return { ...onCluster, environment, record: found?.record };
}

async function requireQuiet(at: EnvironmentName, config: ConfigName): Promise<Item<EnvironmentRecord>> {
  const found = await findConfig(config, { consistent: true });
  if (found === undefined || found.environment.production !== at.production) throw environmentMissing(at);
  const { environment } = found;
  const refused = `environment is in a state that cannot be updated: ${environment.status}`;
  if (environment.status === "creating") throw new Busy(refused);
  if (environment.status === "deleting") throw new ApiError(6076, refused);
  return environment;
}

async function noteChange(
  environment: EnvironmentRecord,
  config: ConfigName,
  before: Item<ConfigRecord> | undefined,
  actor: Actor,
  { operation, yaml, notes, fileDigest }: Parameters<ConfigInHand["note"]>[0],
): Promise<void> {
  const text = await storeConfigText({ environmentId: environment.environmentId, ...config }, yaml);
  const kept: ConfigNotes = {
    services: notes?.services ?? before?.services ?? [],
    autoSync: notes?.autoSync ?? before?.autoSync ?? false,
    source: notes?.source ?? before?.source ?? null,
  };
  const change = { operation, by: actor.name, at: nowSeconds(), yaml: text };
  try {
    await table().write(
      environmentMustStay(environment),
      ...configChangeWrites(config, before, kept, change),
      ...(fileDigest !== undefined ? [follow(config, fileDigest)] : []),
      ...(operation === "delete" || notes?.autoSync === false ? [unfollow(config)] : []),
    );
  } catch (error) {
    if (conflictedOn(error, "environment")) throw new ApiError(6076, "environment is being deleted");
    throw error;
  }
}
