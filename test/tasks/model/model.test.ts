import { taskModelSuite } from "./taskModelSuite.ts";

taskModelSuite({ runs: 100, longest: 14, seconds: 10 });
