import { expect, test } from "vitest";
import { versionStorm } from "./versionStorm.ts";

/** What `npm run soak` does with a hundred versions of twenty images. */
test("versions are made whenever the program is killed", async () => {
  expect(await versionStorm({ versions: 4, images: 3, kills: 3, pauseMilliseconds: 1500 })).toEqual([]);
}, 240_000);
