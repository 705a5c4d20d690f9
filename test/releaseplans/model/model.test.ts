import { planModelSuite } from "./planModelSuite.ts";

planModelSuite({ runs: 15, longest: 14, seconds: 30, seed: 1 });
