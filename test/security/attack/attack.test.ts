import { attackSuite } from "./attackSuite.ts";

/** Some of the calls; `npm run soak` makes all of them. */
attackSuite(2);
