/**
 * What telling a session's clients costs the service, and what an open one takes, against raw event streams of Node.
 */
export const bench = {
  name: "channel",
  what: "CPU time of the server per event delivered over the ACP channel, one event every 25 ms to all connections",
  baseline: "node:http",
  variants: {
    "node:http": ["NodeChannel.js"],
    "heddle-server": ["HeddleChannel.js", "5"]
  },
  peer: ["ChannelLoad.js"],
  driver: "peer",
  cases: { "1,000 connections": { connections: 1000, events: 40 } },
  smoke: { connections: 20, events: 2 },
  idle: {
    connections: 1000,
    cases: { "connections of one session": { same: true }, "sessions, each of a task of its own": { same: false } },
    /** Until the sessions of the service are idle. */
    settleMillis: 10_000
  }
} as const
