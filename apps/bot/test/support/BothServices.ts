import { join } from "node:path"
import type { PlainServiceOptions, Round } from "@heddle/plain-service"
import { scriptedAgent } from "@heddle/test-support/Agents"
import Database from "better-sqlite3"
import { startPlainStack } from "./PlainStack.ts"
import { startRealStack } from "./RealStack.ts"
import { discordActions } from "./Stack.ts"

/** A prompt that a service ran, and how it ended. */
interface Run {
  readonly prompt: string
  readonly end: string | null
}

/** Starts the real service with an agent that does what a prompt's lines say, and a connected person. */
const real = async () => {
  const stack = await startRealStack({ server: { agentCommand: [process.execPath, scriptedAgent] } })
  const connect = async () => stack.link(await stack.ask("connect"))
  return {
    ...stack,
    ...discordActions(stack.emulator, stack.you),
    connect,
    /** What `/credit` shows. */
    credits: /\*\*9\d\d\*\* left · \d+ of 1,000 used/,
    /** What the service recorded. */
    runs: (): ReadonlyArray<Run> => {
      const database = new Database(join(stack.folder, "server/server.sqlite"), { readonly: true })
      try {
        return database.prepare(recordedRuns).all() as ReadonlyArray<Run>
      } finally {
        database.close()
      }
    }
  }
}

const recordedRuns = `
  SELECT json_extract(params, '$.update.content.text') AS prompt, stop_reason AS end
  FROM sandbox_turns JOIN sandbox_journal USING (task_id)
  WHERE json_extract(params, '$.update.sessionUpdate') = 'user_message_chunk'
    AND json_extract(params, '$.update.messageId') = message_id
  ORDER BY started_at, seq`

/** Starts the service written from the document alone, whose rounds do what a prompt's lines say. */
const plain = async () => {
  const stack = await startPlainStack({ script: followLines })
  return {
    ...stack,
    credits: /\*\*750\*\* left · 250 of 1,000 used/,
    runs: (): ReadonlyArray<Run> =>
      stack.service.rounds.map(({ end, text }) => ({
        prompt: text,
        end: end === undefined ? null : "stopReason" in end ? end.stopReason : "error"
      }))
  }
}

/** The lines of the scripted agent that the stories use. */
const commands: Readonly<Record<string, (round: Round, rest: string) => unknown>> = {
  echo: ({ say }, text) => say(text),
  count: async ({ say, signal }, rest) => {
    const [to = 0, pace = 0] = rest.split(" ").map(Number)
    for (let n = 1; n <= to && !signal.aborted; n++) {
      say(`${n} `)
      await new Promise((resolve) => setTimeout(resolve, pace))
    }
  },
  ask: async ({ ask, say }, title) => {
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Deny", kind: "reject_once" }
    ]
    say(
      `answer ${JSON.stringify({ outcome: "selected", optionId: await ask({ title, options, toolCall: { toolCallId: "call-1" } }) })}`
    )
  },
  update: ({ update }, json) => update(JSON.parse(json) as Parameters<typeof update>[0]),
  write: ({ artifact }, rest) => {
    const [path = "", ...words] = rest.split(" ")
    const name = path.replace("artifacts/", "")
    const media = { type: "media", uri: `agent:///${path}`, name, mimeType: "text/plain", contentType: "document" }
    artifact("created", media, new TextEncoder().encode(words.join(" ")))
  }
}

const followLines: NonNullable<PlainServiceOptions["script"]> = async (round) => {
  for (const line of round.text.split("\n")) {
    const [command = "", ...rest] = line.split(" ")
    if (!round.signal.aborted) await commands[command]?.(round, rest.join(" "))
  }
  return { stopReason: "end_turn" }
}

/** A stack of either service. */
export type EitherStack = Awaited<ReturnType<typeof plain | typeof real>>

/** Starts each service with emulator and bot. */
export const services: Readonly<Record<string, () => Promise<EitherStack>>> = {
  "the real service": real,
  "a service that keeps the document and nothing more": plain
}
