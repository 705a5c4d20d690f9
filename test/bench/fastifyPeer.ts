import fastify from "fastify";

/** The least that a web framework does: each path answers a body that is ready. Runs as a process of its own. */
process.on("message", async (answers: Readonly<Record<string, unknown>>) => {
  const server = fastify();
  for (const [path, answer] of Object.entries(answers)) server.get(path, async () => answer);
  process.send?.(await server.listen({ port: 0, host: "127.0.0.1" }));
});
