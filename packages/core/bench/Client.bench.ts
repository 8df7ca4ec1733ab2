/** What one call through the typed client costs, against the least that a Node program can do for the same answer. */
export const bench = {
  name: "client",
  what: "CPU time of the client per call, connections kept alive",
  baseline: "undici.request",
  variants: {
    "undici.request": ["Caller.js", "undici"],
    "global fetch": ["Caller.js", "fetch"],
    "@heddle/core on undici": ["Caller.js", "heddle-undici"],
    "@heddle/core on fetch": ["Caller.js", "heddle-fetch"]
  },
  peer: ["Target.js"],
  driver: "variant",
  cases: {
    "profile, one at a time": { operation: "profile", concurrency: 1 },
    "profile, 16 at once": { operation: "profile", concurrency: 16 },
    "task, one at a time": { operation: "task", concurrency: 1 },
    "task, 16 at once": { operation: "task", concurrency: 16 }
  }
} as const
