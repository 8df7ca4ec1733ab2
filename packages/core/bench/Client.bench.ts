/** What one call through the typed client costs, against the platform's `fetch` and the least that Node can do. */
export const bench = {
  name: "client",
  what: "CPU time of the client per call, connections kept alive",
  baseline: "global fetch",
  variants: {
    "global fetch": ["Caller.js", "fetch"],
    "undici.request": ["Caller.js", "undici"],
    "@heddle/core on undici": ["Caller.js", "heddle-undici"],
    "@heddle/core on fetch": ["Caller.js", "heddle-fetch"]
  },
  peer: ["Target.js"],
  driver: "variant",
  cases: {
    "profile, one at a time": { operation: "profile", shape: "plain", concurrency: 1 },
    "profile, 16 at once": { operation: "profile", shape: "plain", concurrency: 16 },
    "task, one at a time": { operation: "task", shape: "plain", concurrency: 1 },
    "task, 16 at once": { operation: "task", shape: "plain", concurrency: 16 },
    "task in chunks, 16 at once": { operation: "task", shape: "chunked", concurrency: 16 },
    "task compressed, 16 at once": { operation: "task", shape: "compressed", concurrency: 16 }
  }
} as const
