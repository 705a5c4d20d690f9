/** What to do about a service that runs although its definition was deleted. */
export function definitionGoneSentence(service: string): string {
  return `the definition of service ${service} was deleted from the project: create it again, or take the service out of the environment`;
}
