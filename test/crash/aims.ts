import type { Aim } from "./writeCounter.ts";

/** The first write of that name, or the last one. @throws Error where there is none: nothing would be killed */
export const first = (writes: readonly string[], name: string, moment: Aim["moment"]): Aim =>
  aimAt(writes.indexOf(name), name, moment);
export const last = (writes: readonly string[], name: string, moment: Aim["moment"]): Aim =>
  aimAt(writes.lastIndexOf(name), name, moment);

function aimAt(index: number, name: string, moment: Aim["moment"]): Aim {
  if (index < 0) throw new Error(`no write ${name}`);
  return { number: index + 1, moment };
}
