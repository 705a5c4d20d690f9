import { vi } from "vitest";
import { environmentRaces } from "./environmentRaces.ts";

vi.setConfig({ testTimeout: 120_000 });

environmentRaces(4);
