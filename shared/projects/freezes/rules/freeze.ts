/** One environment that a freeze names. */
export interface FrozenEnvironment {
  projectKey: string;
  envKey: string;
}

/** From `startTime` until before `endTime`, both Unix seconds. */
export interface FreezeOnce {
  startTime: number;
  endTime: number;
}

/** Begins whenever the cron expression of five fields says so in the time zone of IANA, for so many minutes. */
export interface FreezeByCron {
  cron: string;
  timeZone: string;
  durationMinutes: number;
}

export type FreezeTimes = FreezeOnce | FreezeByCron;

/** A time in which production environments stay as they are: those that it names, those of its projects, or all. */
export interface Freeze {
  freezeId: string;
  name: string;
  /** As a refused user reads it. */
  reason: string;
  /** Keys of projects; with no environments either, the freeze is the whole installation's. */
  projects: readonly string[];
  environments: readonly FrozenEnvironment[];
  times: FreezeTimes;
  createdBy: string;
  updatedBy: string;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
}

/** Where something is about to change: a production environment, or a project of which no environment is known yet. */
export interface FreezePlace {
  projectKey: string;
  envKey?: string | undefined;
}

/** Whether the freeze is about this place; one that names environments alone is about no place without one. */
export function isAbout({ projects, environments }: Pick<Freeze, "projects" | "environments">, place: FreezePlace) {
  if (projects.length === 0 && environments.length === 0) return true;
  if (projects.includes(place.projectKey)) return true;
  return environments.some(({ projectKey, envKey }) => projectKey === place.projectKey && envKey === place.envKey);
}
