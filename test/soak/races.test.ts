import { environmentRaces } from "../race/environmentRaces.ts";

environmentRaces(60);
