import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { isSensitive } from "../../../base/common/sensitiveKey.ts";
import { unifiedDiff } from "../../../base/common/unifiedDiff.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { ServerRefused, ServerUnavailable } from "../../../integrations/server/serverErrors.ts";
import type { ConfigurationServer } from "../../../integrations/store/configurationServers.ts";
import { treesOf } from "../../../manifest/tree.ts";
import type { JobEnd } from "../../records/task.ts";
import { type OpenIntegration, openIntegration } from "../outside/openIntegration.ts";
import { outsideRunner } from "../outside/outsideRunner.ts";
import type { OutsideWork } from "../outside/outsideWork.ts";
import { failed, type JobRun, type JobRunner, passed, stopped } from "../runner.ts";
import { configurationSort } from "./configurationServer.ts";

/** Texts by key; one that is undefined does not exist. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** Something that is changed as a whole: a configuration of Nacos, keys of a namespace of Apollo. */
export interface ConfigurationPlace {
  /** For people. */
  name: string;
  wanted: Texts;
  /** What its keys have now. @throws ServerRefused, ServerUnavailable */
  read(): Promise<Texts>;
  /** Sets some of the keys, and lets applications have it. @throws likewise */
  write(texts: Texts): Promise<void>;
}

interface ConfigurationState {
  /** What each place had before the first change of this try. */
  before: StoredText;
  /** So many of the first places were changed, or may have been. */
  touched: number;
}

type OpenServer = OpenIntegration<ConfigurationServer, object>;

/**
 * Changes configurations of a server, their difference first; what fails takes back what was changed (contract W 5).
 * @param list field of the spec whose entries are the places, in their order
 * @param placesOf the places at the server that the integration opens
 */
export function configurationRunner(
  list: string,
  placesOf: (run: JobRun, server: OpenServer) => Promise<ConfigurationPlace[]> | ConfigurationPlace[],
): JobRunner {
  const places = async (run: JobRun, outside: OutsideWork<ConfigurationState>) => {
    const { serverId } = run.run as unknown as { serverId: string };
    const server = await openIntegration(configurationSort, serverId, run.task.owner.projectKey);
    outside.hide(server.secrets);
    return placesOf(run, server);
  };
  return outsideRunner<ConfigurationState>({
    prepare: async ({ spec }) => ({ [list]: spec[list] }),
    work: async (run, outside) =>
      changeConfigurations(run, outside, await places(run, outside), (at, error) => {
        const shown = treesOf(outside.result[list]);
        outside.result = { ...outside.result, [list]: shown.map((one, of) => (of === at ? { ...one, error } : one)) };
      }),
    stop: async (run, outside) => {
      if (outside.state.touched !== undefined) await takeBack(outside, await places(run, outside));
    },
  });
}

/**
 * Shows the difference of every place, then changes those that differ, one after another. The first that cannot be changed, and
 * a cancel, take back what was changed before (contract W 5).
 * @param show tells task detail what is wrong with a place
 */
async function changeConfigurations(
  run: JobRun,
  outside: OutsideWork<ConfigurationState>,
  places: readonly ConfigurationPlace[],
  show: (at: number, error: string) => void,
): Promise<JobEnd> {
  const before = await textsBefore(outside, places, show);
  for (const [at, place] of places.entries()) {
    const changes = changesOf(before[at] ?? {}, place.wanted);
    if (Object.keys(changes).length === 0) continue;
    if (!(await outside.isWanted())) {
      await takeBack(outside, places);
      return stopped(nowSeconds() >= run.deadline ? "timeout" : "cancelled");
    }
    outside.state = { ...outside.state, touched: at + 1 };
    await outside.keep();
    try {
      await place.write(changes);
    } catch (error) {
      if (!(error instanceof ServerRefused || error instanceof ServerUnavailable)) throw error;
      show(at, outside.masked(error.message));
      outside.say(error.message);
      const taken = await takeBack(outside, places);
      return failed(`${place.name} was not changed: ${error.message}; ${taken}`);
    }
    outside.say(`${place.name} is changed`);
  }
  const changed = places.filter(({ wanted }, at) => Object.keys(changesOf(before[at] ?? {}, wanted)).length > 0);
  return passed({ outputs: { CHANGED: String(changed.length) } });
}

/** Read once in each try, so that a call that is repeated takes back to how it was before the first one. */
async function textsBefore(
  outside: OutsideWork<ConfigurationState>,
  places: readonly ConfigurationPlace[],
  show: (at: number, error: string) => void,
): Promise<Texts[]> {
  if (outside.state.before !== undefined) return JSON.parse(await readStoredText(outside.state.before)) as Texts[];
  const before: Texts[] = [];
  for (const [at, place] of places.entries()) {
    const texts = await place.read().catch((error: Error) => {
      show(at, outside.masked(error.message));
      throw error;
    });
    outside.say(difference(place.name, texts, place.wanted));
    before.push(texts);
  }
  outside.state = { ...outside.state, before: await storeText(JSON.stringify(before), { inlineBytes: 4096 }) };
  await outside.keep();
  return before;
}

/** Sets the places that were touched to what they had. @returns what became of that, for a sentence */
async function takeBack(
  outside: OutsideWork<ConfigurationState>,
  places: readonly ConfigurationPlace[],
): Promise<string> {
  const { before, touched = 0 } = outside.state;
  const texts = before === undefined ? [] : (JSON.parse(await readStoredText(before)) as Texts[]);
  const left: string[] = [];
  for (const [at, place] of places.slice(0, touched).entries()) {
    const wanted = Object.fromEntries(Object.keys(place.wanted).map((key) => [key, texts[at]?.[key]]));
    try {
      const changes = changesOf(await place.read(), wanted);
      if (Object.keys(changes).length === 0) continue;
      await place.write(changes);
      outside.say(`${place.name} is as it was before`);
    } catch (error) {
      if (!(error instanceof ServerRefused || error instanceof ServerUnavailable)) throw error;
      left.push(place.name);
      outside.say(`${place.name} could not be taken back: ${error.message}`);
    }
  }
  return left.length === 0 ? "everything is as it was before" : `${left.join(", ")} could not be taken back`;
}

/** The keys whose texts differ, with what they shall have. */
function changesOf(now: Texts, wanted: Texts): Texts {
  return Object.fromEntries(Object.entries(wanted).filter(([key, text]) => now[key] !== text));
}

/** What would change, without values of keys that name a secret. */
function difference(name: string, now: Texts, wanted: Texts): string {
  const changes = Object.keys(changesOf(now, wanted));
  if (changes.length === 0) return `${name} is as it should be`;
  const parts = changes.map((key) => {
    const titles = { before: `${name} ${key} before`, after: `${name} ${key} after` };
    const [before, after] = [shown(key, now[key]), shown(key, wanted[key])];
    return before === after ? `${name} ${key}: a value that is not shown changes` : unifiedDiff(before, after, titles);
  });
  return parts.map((part) => part.trimEnd()).join("\n");
}

const assignment = /^(\s*(?:- )?["']?([\w.-]+)["']?\s*[:=]\s*)\S.*$/;

function shown(key: string, text = ""): string {
  if (isSensitive(key) && text !== "") return "******\n";
  const lines = text.split("\n").map((line) => {
    const [, begin = "", name = ""] = assignment.exec(line) ?? [];
    return isSensitive(name) ? `${begin}******` : line;
  });
  return `${lines.join("\n").trimEnd()}\n`;
}
