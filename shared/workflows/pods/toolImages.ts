import { config } from "../../settings/config.ts";
import type { ToolImages } from "./rules/stepContainer.ts";

/** The images of the containers that are not the user's. */
export function toolImages(): ToolImages {
  const { SLIPWAY_IMAGE_GIT, SLIPWAY_IMAGE_BUILDKIT, SLIPWAY_IMAGE_TOOLS, SLIPWAY_BUILDKIT_MODE } = config();
  return {
    git: SLIPWAY_IMAGE_GIT,
    buildkit: SLIPWAY_IMAGE_BUILDKIT,
    tools: SLIPWAY_IMAGE_TOOLS,
    buildkitMode: SLIPWAY_BUILDKIT_MODE,
  };
}
