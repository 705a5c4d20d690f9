/** A server that says no, or something that it does not say: another try changes nothing. */
export class ServerRefused extends Error {
  override readonly name = "ServerRefused";
}

/** A server that did not answer in time or failed: worth another try. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}
