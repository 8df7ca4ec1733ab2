import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Reply } from "@heddle/core/api/AssistantProtocol"
import { AssistantError } from "./AssistantError.ts"

/** What outlives the program: the agent's sessions, and a reply that the service has not taken. */
export interface StateFile {
  /** The agent's own id of the session of an application. */
  readonly session: (applicationId: string) => string | undefined
  readonly rememberSession: (applicationId: string, agentSessionId: string) => void
  /** The reply to a message, if it was made before. */
  readonly reply: (messageId: string) => Reply | undefined
  /** Keeps the reply to a message in place of the last one. */
  readonly keepReply: (messageId: string, reply: Reply) => void
  /** Drops the reply to a message, which the service has taken. */
  readonly dropReply: (messageId: string) => void
}

/** Opens the state of one credential; only this user can read the file. */
export const open = Effect.fn("StateFile.open")(function* (folder: string, name: string) {
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
      // The program goes on with what it has in memory.
      Runtime.runFork(runtime)(Effect.logWarning(`the state cannot be stored in ${file}`, cause))
    }
  }
  const state: StateFile = {
    session: (applicationId) => content.sessions[applicationId],
    rememberSession: (applicationId, agentSessionId) => {
      if (content.sessions[applicationId] === agentSessionId) return
      write({ ...content, sessions: { ...content.sessions, [applicationId]: agentSessionId } })
    },
    reply: (messageId) => (content.answer?.messageId === messageId ? content.answer.reply : undefined),
    keepReply: (messageId, reply) => write({ ...content, answer: { messageId, reply } }),
    dropReply: (messageId) => {
      if (content.answer?.messageId === messageId) write({ ...content, answer: null }, false)
    }
  }
  return state
})

const Content = Schema.Struct({
  sessions: Schema.Record({ key: Schema.String, value: Schema.String }),
  answer: Schema.NullOr(Schema.Struct({ messageId: Schema.String, reply: Reply }))
})

const empty: typeof Content.Type = { sessions: {}, answer: null }

/** A missing or damaged file counts as none: the agent gets new sessions. */
const read = (file: string) =>
  Fs.existsSync(file)
    ? Schema.decodeOption(Schema.parseJson(Content))(Fs.readFileSync(file, "utf8"))
    : Option.none<typeof Content.Type>()
