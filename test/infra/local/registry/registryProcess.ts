import { startRegistry } from "../../../../infra/local/registry/start.ts";
import { peakMemory } from "../../../harness/peakMemory.ts";

/** A registry as a process of its own, for tests that kill it: prints its address, then its peak memory on request. */
const { address } = await startRegistry({ dataDir: process.argv[2] ?? "", log: (line) => console.error(line) });
console.log(address);
process.stdin.on("data", () => console.log(peakMemory()));
