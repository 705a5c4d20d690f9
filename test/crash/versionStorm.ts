import { setTimeout as sleep } from "node:timers/promises";
import { mapBounded } from "../../shared/base/common/mapBounded.ts";
import { waitFor } from "../harness/waitFor.ts";
import { Folders, startVictim, type Victim } from "./crashRun.ts";
import {
  createVersion,
  listVersions,
  type MadeVersion,
  prepareProject,
  registryOf,
  victimsPusher,
} from "./versionCalls.ts";

export interface Storm {
  versions: number;
  images: number;
  kills: number;
  /** Between two kills, at most. */
  pauseMilliseconds: number;
}

/**
 * Makes versions while the program is killed again and again. Each that was accepted has to succeed in the end, with every
 * image where it promises it.
 * @returns what is wrong
 */
export async function versionStorm({ versions, images, kills, pauseMilliseconds }: Storm): Promise<string[]> {
  const folders = new Folders();
  const folder = folders.empty();
  let victim: Victim = await startVictim(folder);
  try {
    await prepareProject(victim);
    const { host } = await registryOf(victim);
    const names = Array.from({ length: images }, (_, at) => `image-${at}`);
    const digests = new Map<string, string>();
    for (const name of names) digests.set(name, (await victimsPusher(host).image(`slipway/${name}`, "1")).digest);
    const wanted = Array.from({ length: versions }, (_, at) => `v${at}`);
    const creating = mapBounded(wanted, 4, (name) => accepted(() => victim, name, names));
    for (let killed = 0; killed < kills; killed++) {
      await sleep(Math.random() * pauseMilliseconds);
      await victim.end("SIGKILL");
      victim = await startVictim(folder);
    }
    await creating;
    const over = ({ status }: MadeVersion) => status === "success" || status === "failed";
    const all = () => listVersions(victim);
    await waitFor("all versions to be over", async () => (await all()).every(over), 1200);
    const made = await all();
    const problems = made
      .filter(({ status }) => status !== "success")
      .map(({ version_name, status, error }) => `${version_name} is ${status}: ${error}`);
    if (made.length !== versions) problems.push(`${made.length} versions instead of ${versions}`);
    for (const version of wanted)
      for (const name of names) {
        const found = await victimsPusher(host).read(`slipway/released/${name}`, version);
        if (found !== (await victimsPusher(host).read(`slipway/${name}`, digests.get(name) ?? "")))
          problems.push(`released/${name}:${version} is not what was promised`);
      }
    return problems;
  } finally {
    await victim.end("SIGKILL");
    folders.remove();
  }
}

/** Asks until it is accepted; a name that is taken was accepted by a program that died before it could say so. */
async function accepted(victim: () => Victim, name: string, images: readonly string[]): Promise<void> {
  for (;;) {
    const isDone = await createVersion(victim(), name, images).then(
      ({ status, text }) => status === 200 || text.includes('"code":6560'),
      () => false,
    );
    if (isDone) return;
    await sleep(200);
  }
}
