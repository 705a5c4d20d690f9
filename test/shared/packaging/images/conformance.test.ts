import { copySuite } from "../../../harness/imageSuite.ts";
import { startTestRegistry } from "../../../harness/testRegistry.ts";

copySuite("one machine", () => startTestRegistry());
