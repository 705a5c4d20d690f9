/** Slipway cannot start on this machine as it is; the message tells what to do. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartRefused";
  }
}
