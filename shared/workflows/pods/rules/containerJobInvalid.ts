/** What of a job cannot run in containers, as a sentence for the user who started it. */
export class ContainerJobInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ContainerJobInvalid";
  }
}
