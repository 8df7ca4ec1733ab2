import { randomUUID } from "node:crypto"
import { join } from "node:path"
import type { PlainServiceOptions, Round } from "@heddle/plain-service"
import { scriptedAgent } from "@heddle/test-support/Agents"
import Database from "better-sqlite3"
import * as Redacted from "effect/Redacted"
import { startPlainStack } from "./PlainStack.ts"
import { startRealStack } from "./RealStack.ts"
import { runAssistant } from "./RunAssistant.ts"
import { confirm, discordActions } from "./Stack.ts"

/** A prompt that a service ran, and how it ended. */
export interface Run {
  readonly prompt: string
  readonly end: string | null
}

const emulator = { users: ["You", "Sam"] }

/** Starts the real service with an agent that does what a prompt's lines say. */
const real = async () => {
  const agentCommand = [process.execPath, scriptedAgent]
  const contract = { revocation: true, permissionResponse: "accept" } as const
  const stack = await startRealStack({ emulator, server: { agents: [{ command: agentCommand }], contract } })
  return {
    ...stack,
    ...discordActions(stack.emulator, stack.you),
    connect: async () => stack.link(await stack.ask("connect")),
    /** A new redemption code. */
    newCode: async (credits: number) => {
      const [code] = await stack.run(stack.server.redemptionCodes.create({ credits }))
      return Redacted.value(code!)
    },
    /** Has the assistant ask in a chat whether it may do something; it says there what it was answered. */
    assistantAsks: async (chat: string, title: string) => {
      await runAssistant(stack, agentCommand)
      await stack.you.send(chat, `ask ${title}`)
    },
    /** What `/credit` shows. */
    credits: /\*\*(1,000|9\d\d)\*\* left · \d+ of 1,000 used/,
    /** What `/disconnect` says of the service. */
    disconnected: /the service has ended it\.$/,
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
  const stack = await startPlainStack({ emulator, script: followLines })
  const { service } = stack
  return {
    ...stack,
    link: (message: Parameters<typeof confirm>[1]) => confirm(stack.emulator, message, undefined, stack.you),
    newCode: async (credits: number) => {
      const code = randomUUID()
      service.addVoucher({ code, credits })
      return code
    },
    assistantAsks: async (chat: string, title: string) => {
      await stack.you.send(chat, "Hello")
      await stack.emulator.waitFor(() => service.assistant.messages.length > 0, { what: "the message at the service" })
      const { answer } = service.assistant.ask("", [{ question: title, options: ["Allow", "Deny"] }])
      void answer.then(({ answers }) => service.assistant.say(`answer ${JSON.stringify(answers)}`))
    },
    credits: /\*\*750\*\* left · 250 of 1,000 used/,
    /** The document has no revocation. */
    disconnected: /The service was not told: it may still list this bot[^]*$/,
    runs: (): ReadonlyArray<Run> =>
      service.rounds.map(({ end, text }) => ({
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
  question: async ({ request, say, taskId }, json) => {
    const answer = await request("session/request_permission", {
      sessionId: taskId,
      toolCall: { toolCallId: "call-3", title: "Ask", rawInput: { questions: JSON.parse(json) } },
      options: [
        { optionId: "go", name: "Submit", kind: "allow_once" },
        { optionId: "skip", name: "Skip", kind: "reject_once" }
      ]
    })
    say(`answer ${JSON.stringify(answer)}`)
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
