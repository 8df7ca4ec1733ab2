/** What the list of a session's artifacts costs the service, against one query over the same rows. */
export const bench = {
  name: "artifacts-list",
  what: "CPU time of the server per GET {sandbox_url}/api/session/artifacts of a session with 10,000 media files",
  baseline: "SQL query",
  variants: {
    "SQL query": ["ArtifactQuery.js"],
    "heddle-server": ["ArtifactServer.js"]
  },
  peer: ["ArtifactLoad.js"],
  driver: "peer",
  cases: { "all 10,000": { limit: 0 }, "a page of 200": { limit: 200 } }
} as const
