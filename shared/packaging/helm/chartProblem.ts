/** What is wrong with a chart, its values or what it renders to, in words for the user who sent it. */
export class ChartProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ChartProblem";
  }
}
