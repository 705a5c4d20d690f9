import { Progress } from "./progress.ts";

const redrawMilliseconds = 100;

/**
 * Runs one step of a longer command and shows it in one line: on a terminal a line that changes while the step runs and ends
 * as what was done; elsewhere the line that says what is done now.
 * @param doing such as "Starting Slipway"
 * @param work gets a function that says how far it is; its answer is the line that stays on a terminal
 */
export async function runStep<T>(
  doing: string,
  work: (setDetail: (detail: string) => void) => Promise<{ done: string; result: T }>,
): Promise<T> {
  if (process.stderr.isTTY !== true) {
    process.stderr.write(`${doing}\n`);
    return (await work(() => undefined)).result;
  }
  const progress = new Progress();
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let detail = "";
  const redraw = () =>
    progress.show([`… ${[doing, detail, seconds() > 0 && `${seconds()} s`].filter(Boolean).join(", ")}`]);
  const timer = setInterval(redraw, redrawMilliseconds);
  redraw();
  try {
    const { done, result } = await work((text) => {
      detail = text;
    });
    progress.show([`✓ ${done}`]);
    return result;
  } catch (error) {
    progress.show([`✗ ${doing}`]);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
