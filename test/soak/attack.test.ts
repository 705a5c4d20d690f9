import { attackSuite } from "../security/attack/attackSuite.ts";

attackSuite(16);
