import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { buildDistribution, distributionProgram, startDistribution } from "../harness/distribution.ts";
import { startGeneratedRegistry } from "../harness/generatedRegistry.ts";
import { runCopy } from "../harness/runCopy.ts";
import { pusher, startTestRegistry } from "../harness/testRegistry.ts";
import { median, number, timed, times } from "./figures.ts";
import { atMost, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const rounds = quick ? 1 : 7;
const layerBytes = quick ? 100_000 : 16_000_000;

interface Case {
  name: string;
  layers: number[];
  /** Where the image goes; its own registry for a mount; `whole`: the local one, which takes a blob with one request. */
  to: "target" | "source" | "whole";
  /** Copied once before, by the same program. */
  again?: boolean;
  goal?: number;
  requestGoal?: number;
}

const cases: Case[] = [
  { name: "cold, 4 layers of 16 MB", layers: Array(4).fill(layerBytes), to: "target", goal: 0.9 },
  { name: "cold, 12 small layers", layers: Array(12).fill(20_000), to: "target", goal: 0.8 },
  { name: "the same, into one that takes whole blobs", layers: Array(12).fill(20_000), to: "whole", requestGoal: 0.55 },
  { name: "unchanged", layers: Array(12).fill(20_000), to: "target", again: true, goal: 0.35 },
  { name: "mount, 12 layers", layers: Array(12).fill(200_000), to: "source", goal: 0.6 },
];

interface Taken {
  milliseconds: number[];
  requests: number[];
}

type Program = (from: string, to: string) => Promise<number>;

/** Copies by Slipway's engine and by skopeo, between the same two registries. */
export async function benchCopies(): Promise<void> {
  if (!hasSkopeo()) {
    console.warn("SKIPPED: copies; install skopeo of Debian to compare with it");
    return;
  }
  const program = distributionProgram() ?? buildDistribution();
  const [source, target] = await Promise.all([startDistribution(program), startDistribution(program)]);
  const [whole, warm] = await Promise.all([startTestRegistry(), startTestRegistry()]);
  const start = median(await startsOfSkopeo());
  await pusher(warm.address).image("warm/up", "v1", { layers: [1000, 200_000] });
  const warmUp = [`${warm.address}/warm/up:v1`, `${warm.address}/warm/copy:v1`];
  const slipway: Program = (from, to) => byEngine([...warmUp, from, to]);
  const programs: Record<"slipway" | "skopeo", Program> = { slipway, skopeo: (from, to) => skopeo(from, to, start) };
  const requests = async () => (await source.requests()) + (await target.requests()) + whole.requests.length;
  const rows: string[][] = [];
  try {
    for (const [at, one] of cases.entries()) {
      progress(`copies: ${one.name}`);
      const taken = {
        slipway: { milliseconds: [], requests: [] } as Taken,
        skopeo: { milliseconds: [], requests: [] } as Taken,
      };
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? (["slipway", "skopeo"] as const) : (["skopeo", "slipway"] as const);
        for (const name of order) {
          // Fresh bytes, so that nobody finds what the other one brought.
          const repository = `case-${at}/round-${round}-${name}`;
          await pusher(source.address).image(repository, "v1", { layers: one.layers });
          const place = { target, source, whole }[one.to];
          const [from, to] = [`${source.address}/${repository}:v1`, `${place.address}/copy/${repository}:v1`];
          if (one.again === true) await programs[name](from, to);
          const before = await requests();
          taken[name].milliseconds.push(await programs[name](from, to));
          taken[name].requests.push((await requests()) - before);
        }
      }
      rows.push(...rowsOf(one, taken));
    }
    rows.push(await memoryRow());
  } finally {
    await Promise.all([source.close(), target.close(), whole.close(), warm.close()]);
  }
  const how = `Both programs copy fresh images between two registries (distribution) on loopback, ${rounds} rounds, in turns; medians, without the start of the process (${number(start)} ms for skopeo; the engine's has copied one other image before, as it has in a version). Requests are those that both registries count. A registry that takes no blob with one request needs three for each (read, begin, end): at least 0.6 of skopeo's five.`;
  printTable("Copies of images", how, ["what", "Slipway", "skopeo", "share", "goal", ""], rows);
}

function rowsOf(
  { name, goal, requestGoal }: Case,
  { slipway: ours, skopeo: theirs }: Record<"slipway" | "skopeo", Taken>,
): string[][] {
  const row = (
    what: string,
    one: readonly number[],
    other: readonly number[],
    limit: number | undefined,
    unit: string,
  ) => {
    const share = median(one) / median(other);
    const shown = [one, other].map((all) => `${number(median(all))}${unit}`);
    return [what, ...shown, times(share), ...judged(limit === undefined ? undefined : atMost(share, limit, times))];
  };
  return [
    row(name, ours.milliseconds, theirs.milliseconds, goal, " ms"),
    row(`${name}: requests`, ours.requests, theirs.requests, requestGoal, ""),
  ];
}

async function byEngine(images: readonly string[]): Promise<number> {
  const { problem, milliseconds } = await runCopy(...images);
  if (problem !== "") throw new Error(problem);
  return milliseconds;
}

async function skopeo(from: string, to: string, startMilliseconds: number): Promise<number> {
  const words = ["--insecure-policy", "copy", "--all", "--quiet", "--src-tls-verify=false", "--dest-tls-verify=false"];
  const { milliseconds } = await timed(() =>
    promisify(execFile)("skopeo", [...words, `docker://${from}`, `docker://${to}`]),
  );
  return milliseconds - startMilliseconds;
}

async function startsOfSkopeo(): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < 5; at++)
    taken.push((await timed(() => promisify(execFile)("skopeo", ["--version"]))).milliseconds);
  return taken;
}

function hasSkopeo(): boolean {
  try {
    execFileSync("skopeo", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function memoryRow(): Promise<string[]> {
  const megabytes = quick ? 64 : 2048;
  progress(`copies: a layer of ${megabytes} MB`);
  const registry = await startGeneratedRegistry(megabytes);
  const { grownBytes } = await runCopy(`${registry.address}/made/layer:v1`, `${registry.address}/copied/layer:v1`);
  await registry.close();
  const show = (value: number) => `${number(value / 1024 ** 2)} MB`;
  return [
    `memory, a layer of ${megabytes} MB`,
    show(grownBytes),
    "",
    "",
    ...judged(atMost(grownBytes, 128 * 1024 ** 2, show)),
  ];
}
