import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Reply } from "@heddle/core/api/AssistantProtocol"
import { AssistantError } from "./AssistantError.ts"

/** The stored state: the agent's sessions, and a reply that the service has not accepted yet. */
export interface StateFile {
  /** The agent's id of the session of an application. */
  readonly session: (applicationId: string) => string | undefined
  readonly rememberSession: (applicationId: string, agentSessionId: string) => void
  /** The stored reply to a message. */
  readonly reply: (messageId: string) => Reply | undefined
  /** Stores the reply to a message in place of the previous one. */
  readonly storeReply: (messageId: string, reply: Reply) => void
  /** Deletes the reply to a message that the service has accepted. */
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
  const write = (next: typeof Content.Type, flush = true) => {
    content = next
    const temporary = `${file}.${process.pid}.tmp`
    try {
      Fs.writeFileSync(temporary, JSON.stringify(content), { mode: 0o600, flush })
      Fs.renameSync(temporary, file)
    } catch (cause) {
      // The program continues with the state in memory.
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
    storeReply: (messageId, reply) => write({ ...content, answer: { messageId, reply } }),
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
