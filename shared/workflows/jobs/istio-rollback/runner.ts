export { rollbackRunner as runner } from "../rollout/rollbackRunner.ts";
