export { rolloutReleaseRunner as runner } from "../rollout/releaseRunner.ts";
