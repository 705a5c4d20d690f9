export { rolloutDeployRunner as runner } from "../rollout/deployRunner.ts";
