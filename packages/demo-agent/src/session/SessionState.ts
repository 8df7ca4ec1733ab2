import { z } from "zod"

const condition = z.object({
  column: z.string(),
  operator: z.enum([
    "is",
    "is not",
    ">",
    ">=",
    "<",
    "<=",
    "contains",
    "starts with",
    "between",
    "is missing",
    "is present"
  ]),
  values: z.array(z.string())
})

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

const step = z.enum(["day", "week", "month", "quarter", "year", "weekday"])
const measure = z.enum(["count", "sum", "mean", "median", "min", "max"])
const chartPlan = z.discriminatedUnion("mark", [
  z.object({ mark: z.literal("histogram"), column: z.number() }),
  z.object({ mark: z.literal("bar"), by: z.number(), step, column: z.number().optional(), measure }),
  z.object({ mark: z.literal("line"), by: z.number(), step, column: z.number().optional(), measure }),
  z.object({ mark: z.literal("scatter"), x: z.number(), y: z.number() })
])

/** The stored form of a session. */
export const StoredSession = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  /** The language of the last request with words. */
  language: z.enum(["english", "chinese"]).default("english"),
  /** The data in use: its file in the working directory and its display name. */
  data: z.object({ file: z.string(), name: z.string(), mimeType: z.string().optional() }).nullable(),
  filters: z.array(z.object({ any: z.array(condition) })),
  alwaysAllowed: z.boolean(),
  turns: z.number(),
  planVersion: z.number(),
  planText: z.string(),
  planCreatedAt: z.number(),
  overviewCreatedAt: z.number(),
  /** The report so far, one section a turn. */
  sections: z.array(z.object({ title: z.string(), text: z.string(), image: z.string().nullable() })),
  charts: z.array(z.string()),
  /** The charts of the last turn that drew some, which "now as a table" refers to. */
  lastCharts: z.array(chartPlan).default([]),
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
  filters: [],
  alwaysAllowed: false,
  turns: 0,
  planVersion: 0,
  planText: "",
  planCreatedAt: 0,
  overviewCreatedAt: 0,
  sections: [],
  charts: [],
  lastCharts: [],
  history: []
})
