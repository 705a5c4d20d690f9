import { expect, test } from "vitest";
import { versionStorm } from "../crash/versionStorm.ts";

test("a hundred versions of twenty images are made whenever the program is killed", async () => {
  const startedAt = Date.now();
  expect(await versionStorm({ versions: 100, images: 20, kills: 25, pauseMilliseconds: 8000 })).toEqual([]);
  console.log(`100 versions of 20 images, 25 kills, ${Math.round((Date.now() - startedAt) / 1000)} s`);
});
