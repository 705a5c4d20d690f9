import { invokeLater } from "../../../shared/base/aws/functions/invokeLater.ts";
import { log } from "../../../shared/base/settings/log.ts";
import { recountCosts } from "./recountCosts.ts";
import { recountCases, recountDays } from "./recountDays.ts";
import { recountOverview } from "./recountOverview.ts";
import { seedStatistics } from "./seedStatistics.ts";

/** Below the function's own limit of 15 minutes. */
const seedingMilliseconds = 10 * 60 * 1000;

/**
 * Once a day: counts what ended before statistics did, once, then counts the overview and the last two days again from
 * their records and puts right what differs (decisions 12.7). After the first run there is nothing to put right. Running
 * it twice changes nothing.
 */
export async function handler(): Promise<{ seeded: boolean; corrected: number }> {
  const wasSeeded = await seedStatistics(Date.now() + seedingMilliseconds);
  if (wasSeeded === "not yet") {
    await invokeLater("statistics-recount", {});
    return { seeded: false, corrected: 0 };
  }
  const corrections = [await recountOverview(), await recountCases(), await recountDays(), await recountCosts()].flat();
  // Counters of a table that is older than statistics begin at the first run.
  const tell = wasSeeded === "before" ? log.error : log.info;
  for (const correction of corrections) tell("statistics differed from the records and were put right", { correction });
  return { seeded: true, corrected: corrections.length };
}
