import { startTestRegistry } from "../../../harness/testRegistry.ts";
import { troubleSuite } from "../../../harness/troubleSuite.ts";

troubleSuite("one machine", startTestRegistry, { resumes: true });
