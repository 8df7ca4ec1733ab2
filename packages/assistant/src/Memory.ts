import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Wire from "@heddle/core/api/AssistantProtocol"
import { AssistantError } from "./AssistantError.ts"

/** What the program must not forget when it ends: the agent's sessions, and an answer that the service has not taken. */
export interface Memory {
  /** The agent's own id of the session of an application. */
  readonly session: (applicationId: string) => string | undefined
  readonly remember: (applicationId: string, agentSessionId: string) => void
  /** The answer to a message, if it was found before. */
  readonly answer: (messageId: string) => Wire.Reply | undefined
  /** Keeps the answer to a message in place of the last one. */
  readonly keep: (messageId: string, reply: Wire.Reply) => void
  /** The service has taken the answer to a message. */
  readonly given: (messageId: string) => void
}

/** Opens the memory of one credential; the file is this user's alone. */
export const open = Effect.fn("Memory.open")(function* (folder: string, name: string) {
  const file = Path.join(folder, `${name}.json`)
  let content = yield* Effect.try({
    try: () => {
      Fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      Fs.accessSync(folder, Fs.constants.W_OK | Fs.constants.X_OK)
      return Option.getOrElse(read(file), () => empty)
    },
    catch: (cause) =>
      new AssistantError({
        setting: "--state",
        problem: `the folder ${folder} cannot be written (${cause instanceof Error && "code" in cause ? String(cause.code) : "unknown"})`,
        fix: "Make it writable for this user, or choose another folder with --state."
      })
  })
  const runtime = yield* Effect.runtime()
  const write = (changed: typeof Content.Type, flush = true) => {
    content = changed
    const temporary = `${file}.${process.pid}.tmp`
    try {
      Fs.writeFileSync(temporary, JSON.stringify(content), { mode: 0o600, flush })
      Fs.renameSync(temporary, file)
    } catch (cause) {
      // As long as the program runs it remembers all the same.
      Runtime.runFork(runtime)(Effect.logWarning(`what has to outlive this program cannot be kept in ${file}`, cause))
    }
  }
  const memory: Memory = {
    session: (applicationId) => content.sessions[applicationId],
    remember: (applicationId, agentSessionId) => {
      if (content.sessions[applicationId] === agentSessionId) return
      write({ ...content, sessions: { ...content.sessions, [applicationId]: agentSessionId } })
    },
    answer: (messageId) => (content.answer?.messageId === messageId ? content.answer.reply : undefined),
    keep: (messageId, reply) => write({ ...content, answer: { messageId, reply } }),
    given: (messageId) => {
      if (content.answer?.messageId === messageId) write({ ...content, answer: null }, false)
    }
  }
  return memory
})

const Content = Schema.Struct({
  sessions: Schema.Record({ key: Schema.String, value: Schema.String }),
  answer: Schema.NullOr(Schema.Struct({ messageId: Schema.String, reply: Wire.Reply }))
})

const empty: typeof Content.Type = { sessions: {}, answer: null }

/** A file that is missing or damaged is as good as none: the agent gets new sessions. */
const read = (file: string) =>
  Fs.existsSync(file)
    ? Schema.decodeOption(Schema.parseJson(Content))(Fs.readFileSync(file, "utf8"))
    : Option.none<typeof Content.Type>()
