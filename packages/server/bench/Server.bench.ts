/** What an authenticated GET costs the service, against the least that a Node program can do for the same answer. */
export const bench = {
  name: "server",
  what: "CPU time of the server per GET /openapi/v2/user/profile with a bearer token, connections kept alive",
  baseline: "node:http",
  /** The least that the same answer takes on Effect's platform; what the service does beside it is the difference. */
  second: "HttpApiBuilder",
  variants: {
    "node:http": ["NodeServer.js"],
    fastify: ["FastifyServer.js"],
    HttpApiBuilder: ["HttpApiServer.js"],
    "heddle-server": ["HeddleServer.js"],
    "heddle-server, 100 commits/s": ["HeddleServer.js", "written"]
  },
  peer: ["Load.js"],
  driver: "peer",
  cases: { "32 connections": { connections: 32 } }
} as const
