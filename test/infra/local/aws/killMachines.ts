import { invoke, waitForToken } from "./taskStates.ts";

/** One machine for each kind of waiting; `first` returns, `second` is where the program is killed. */
export const killMachines = {
  function: { StartAt: "A", States: { A: invoke("first", { Next: "B" }), B: invoke("second") } },
  token: { StartAt: "A", States: { A: invoke("first", { Next: "B" }), B: waitForToken("token") } },
  wait: {
    StartAt: "A",
    States: {
      A: invoke("first", { Next: "B" }),
      B: { Type: "Wait", SecondsPath: "$.seconds", Next: "C" },
      C: invoke("second"),
    },
  },
};
