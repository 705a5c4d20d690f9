import { planModelSuite } from "../releaseplans/model/planModelSuite.ts";

planModelSuite({ runs: 100_000, longest: 60, seconds: Number(process.env.SLIPWAY_SOAK_SECONDS ?? 300) });
