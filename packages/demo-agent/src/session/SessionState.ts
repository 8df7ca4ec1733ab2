import { z } from "zod"

const plan = z.array(
  z.object({
    content: z.string(),
    priority: z.enum(["high", "medium", "low"]),
    status: z.enum(["pending", "in_progress", "completed"])
  })
)

const historyItem = z.discriminatedUnion("type", [
  z.object({ type: z.literal("user"), messageId: z.string(), text: z.string() }),
  z.object({ type: z.literal("user_file"), messageId: z.string(), name: z.string() }),
  z.object({ type: z.literal("agent"), messageId: z.string(), text: z.string() }),
  z.object({ type: z.literal("thought"), messageId: z.string(), text: z.string() }),
  z.object({ type: z.literal("plan"), entries: plan }),
  z.object({
    type: z.literal("tool"),
    toolCallId: z.string(),
    title: z.string(),
    kind: z.enum(["read", "think", "execute", "edit"]),
    status: z.enum(["pending", "in_progress", "completed", "failed"]),
    rawInput: z.record(z.string(), z.unknown()),
    text: z.string(),
    locations: z.array(z.string())
  })
])

/** The stored form of a session; fields of an older version are left out. */
export const StoredSession = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  /** The language of the last request with words. */
  language: z.enum(["english", "chinese"]).default("english"),
  /** The data in use: its file in the working directory and its display name. */
  data: z.object({ file: z.string(), name: z.string(), mimeType: z.string().optional() }).nullable(),
  alwaysAllowed: z.boolean(),
  turns: z.number(),
  planVersion: z.number(),
  planText: z.string(),
  planCreatedAt: z.number(),
  overviewCreatedAt: z.number(),
  /** The report so far, one section a turn. */
  sections: z.array(z.object({ title: z.string(), text: z.string(), image: z.string().nullable() })),
  charts: z.array(z.string()),
  history: z.array(historyItem)
})

/** A message, thought, plan or tool call, stored for the replay. */
export type HistoryItem = z.infer<typeof historyItem>

/** Everything a session remembers between turns and processes. */
export type SessionState = z.infer<typeof StoredSession>

/** A session without a turn. */
export const newSession = (sessionId: string): SessionState => ({
  version: 1,
  sessionId,
  language: "english",
  data: null,
  alwaysAllowed: false,
  turns: 0,
  planVersion: 0,
  planText: "",
  planCreatedAt: 0,
  overviewCreatedAt: 0,
  sections: [],
  charts: [],
  history: []
})
