/** The cost of reading one update, from the socket to its decoded fields, compared with the minimum. */
export const bench = {
  name: "acp",
  what: "CPU time of the client per session/update received over an event stream",
  baseline: "undici + eventsource-parser + JSON.parse",
  variants: {
    "undici + eventsource-parser + JSON.parse": ["Reader.js", "undici"],
    "@heddle/acp on undici": ["Reader.js", "heddle-undici"],
    "fetch + eventsource-parser + JSON.parse": ["Reader.js", "fetch"],
    "@heddle/acp on fetch": ["Reader.js", "heddle-fetch"],
    "@heddle/acp session, folded": ["Reader.js", "heddle-session"],
    "official client and server": ["Reader.js", "official"]
  },
  peer: ["Peer.js"],
  driver: "variant",
  cases: {
    "45 bytes, saturated": { size: 45, count: 10_000, every: 0, connections: 1 },
    "200 bytes, saturated": { size: 200, count: 10_000, every: 0, connections: 1 },
    "2 KB, saturated": { size: 2000, count: 4000, every: 0, connections: 1 },
    "all kinds mixed, saturated": { size: 0, count: 8000, every: 0, connections: 1 },
    "200 bytes, 40 connections, 500/s each": { size: 200, count: 1000, every: 2, connections: 40 }
  },
  smoke: { count: 400, connections: 2 },
  idle: { connections: 900, cases: { "sessions open at once": {} } }
} as const
