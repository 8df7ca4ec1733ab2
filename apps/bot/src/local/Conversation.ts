import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import type { Emulator, EmulatorEvent } from "@heddle/discord-emulator"
import { ButtonStyle, ComponentType } from "../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import { english } from "../messages/Translations.ts"
import { formatBytes } from "../text/Format.ts"
import { turnEndOf } from "../view/TurnEnd.ts"
import type { LocalStack } from "./LocalStack.ts"
import { signIn } from "./SignIn.ts"
import { StackError } from "./StackError.ts"
import type { StackOptions } from "./StackOptions.ts"
import type { Terminal } from "./Terminal.ts"

/** The longest silence of a turn, without a new message or an edit. */
const maxSilenceMs = 120_000

/** Discord's upload limit without a subscription, in bytes. */
const maxUploadBytes = 10 * 1024 * 1024

/** A command option holds 6,000 characters, a message 2,000; longer text becomes a file, as in Discord's client. */
const maxCommandChars = 6000
const maxMessageChars = 2000

/**
 * Runs the conversation of `start --prompt …` as a Discord user: command, connect link, buttons, follow-ups. Sends
 * every prompt, and completes when the last turn ends. Then fails with the text of the first failed turn, if any.
 */
export const runConversation = Effect.fn("Conversation.runConversation")(function* (
  stack: LocalStack,
  discord: Emulator,
  options: StackOptions,
  file: Upload | undefined,
  terminal: Terminal
) {
  const [first, ...followUps] = options.prompts
  if (first === undefined) return
  const threadId = yield* startTask(stack, discord, first, file, terminal)
  const follower = followThread(discord, threadId, options.approve, terminal)
  yield* Effect.addFinalizer(() => Effect.sync(follower.stop))
  let failureText = yield* attempt("the first turn", () => follower.turnEnd())
  for (const prompt of followUps) {
    const isLong = prompt.length > maxMessageChars
    yield* attempt("sending the next message", () =>
      discord.user().send(threadId, isLong ? "" : prompt, isLong ? [textFile(prompt)] : [])
    )
    const nextFailureText = yield* attempt("the next turn", () => follower.turnEnd())
    failureText ??= nextFailureText
  }
  terminal.note("\n")
  if (failureText !== undefined) return yield* new StackError({ message: failureText, status: 1 })
})

/** A file to attach. */
export interface Upload {
  readonly name: string
  readonly data: Uint8Array
}

/** Reads the file of `--file` and checks that the first prompt fits beside it, before anything starts. */
export const attach = Effect.fn("Conversation.attach")(function* (options: StackOptions) {
  const { file } = options
  if (file === undefined) return undefined
  if ((options.prompts[0]?.length ?? 0) > maxCommandChars) return yield* tooLong
  return yield* Effect.tryPromise({
    try: async (): Promise<Upload> => {
      const { size } = await stat(file)
      if (size > maxUploadBytes) throw new TooLarge(size)
      return { name: basename(file), data: await readFile(file) }
    },
    catch: (cause) => new StackError({ message: `--file ${file} ${describeFileError(cause)}`, status: 2 })
  })
})

const tooLong = new StackError({
  message: `the first --prompt is longer than ${maxCommandChars} characters and there is a --file; put the text into the file.`,
  status: 2
})

class TooLarge extends Error {
  readonly size: number
  constructor(size: number) {
    super("too large")
    this.size = size
  }
}

const describeFileError = (cause: unknown): string => {
  if (cause instanceof TooLarge) {
    return `has ${formatBytes(cause.size)}; Discord takes at most ${formatBytes(maxUploadBytes)} in one file. Give a smaller file, or a part of it.`
  }
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return "does not exist. Give the path of a file."
  if (code === "EISDIR") return "is a folder. Give the path of a file."
  if (code === "EACCES") return "may not be read by this user."
  return `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`
}

/** `/task new`, with a connected account; returns the new thread's id. */
const startTask = Effect.fn("Conversation.startTask")(function* (
  stack: LocalStack,
  discord: Emulator,
  prompt: string,
  file: Upload | undefined,
  terminal: Terminal
) {
  const isLong = prompt.length > maxCommandChars
  const knownThreadIds = new Set(discord.threads().map((thread) => thread.id))
  const upload = isLong ? textFile(prompt) : file
  const answer = yield* attempt("/task new", async () => {
    const result = await discord.user().command(discord.channelId, "task new", {
      prompt: isLong ? "Please read the attached message." : prompt,
      ...(upload === undefined ? {} : { file: upload })
    })
    if (result.type === "failed") throw new Error(result.error ?? "the bot did not respond")
    return result.settled()
  })
  const link = connectLink(answer)
  if (link !== undefined) {
    terminal.note("Connecting the demo account through the service's sign-in and consent pages …\n")
    const code = yield* signIn(link, stack.account)
    yield* attempt("typing the code of the page", async () => {
      const form = await discord.user().press(discord.channelId, answer.id, "c2:code")
      return discord.user().submit(form, { code })
    })
  }
  return yield* attempt("waiting for the thread", async () => {
    const outcome = await discord.waitFor(
      () => {
        const thread = discord.threads().find(({ id }) => !knownThreadIds.has(id))
        if (thread !== undefined) return { thread: thread.id }
        const words = discord
          .user()
          .ephemerals()
          .find(({ id }) => id === answer.id)?.content
        return words === undefined || isUnderWay(words) ? undefined : { refused: words }
      },
      { timeoutMs: maxSilenceMs, what: "the bot to open a thread" }
    )
    if ("refused" in outcome) throw new Error(outcome.refused)
    return outcome.thread
  })
})

/** Whether the bot's private answer says that the thread follows. */
const isUnderWay = (words: string): boolean =>
  words === "" ||
  words.includes("<#") ||
  words.startsWith(english.connectFirst.text) ||
  // A second line names the account.
  words.startsWith(english.connectedStarting) ||
  words === english.waitingForService

type Message = ReturnType<Emulator["messages"]>[number]

/** The link of the button to the authorization page, if the answer has one. */
const connectLink = (message: Message): string | undefined =>
  buttonsOf(message).flatMap((item) => ("url" in item && item.url.includes("/authorize") ? [item.url] : []))[0]

interface ThreadFollower {
  /** Waits for the end of the current turn and returns its failure, if any. */
  readonly turnEnd: () => Promise<string | undefined>
  readonly stop: () => void
}

/** Prints the thread, presses the buttons of permission requests, and notices the end of each turn. */
const followThread = (
  discord: Emulator,
  threadId: string,
  approve: "allow" | "deny",
  terminal: Terminal
): ThreadFollower => {
  const pressedMessageIds = new Set<string>()
  const ends: Array<string | undefined> = []
  const seenEnds = new Set<string>()
  let wake: () => void = () => undefined
  let lastActivityAt = Date.now()
  let failure: string | undefined

  const handleMessage = (message: Message, kind: "created" | "edited") => {
    terminal.show(kind, message)
    const end = message.author.bot === true ? turnEndOf(message) : undefined
    if (end !== undefined && !seenEnds.has(message.id)) {
      seenEnds.add(message.id)
      ends.push(end._tag === "Failed" ? end.text : undefined)
    }
    const buttonId = buttonToPress(message, approve)
    if (buttonId !== undefined && !pressedMessageIds.has(message.id)) {
      pressedMessageIds.add(message.id)
      discord
        .user()
        .press(threadId, message.id, buttonId)
        .then((result) => {
          if (result.type === "failed") failure = `pressing a permission button failed: ${result.error ?? "no answer"}`
        })
        .catch((cause: unknown) => {
          failure = `pressing a permission button failed: ${String(cause)}`
        })
        .finally(() => wake())
    }
  }
  const onEvent = (event: EmulatorEvent) => {
    if (event.type === "typing" && event.channelId === threadId) lastActivityAt = Date.now()
    if (event.type !== "message_create" && event.type !== "message_update") return
    if (event.channelId !== threadId) return
    lastActivityAt = Date.now()
    handleMessage(event.message, event.type === "message_create" ? "created" : "edited")
    wake()
  }
  for (const message of discord.messages(threadId)) handleMessage(message, "created")
  const stop = discord.on(onEvent)
  const timer = setInterval(() => wake(), 1000)

  const turnEnd = async (): Promise<string | undefined> => {
    while (ends.length === 0) {
      if (failure !== undefined) return failure
      if (Date.now() - lastActivityAt > maxSilenceMs)
        return `nothing happened in the thread for ${maxSilenceMs / 1000} seconds`
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return ends.shift()
  }
  return {
    turnEnd,
    stop: () => {
      clearInterval(timer)
      stop()
    }
  }
}

/** The button of an open permission card that matches `--approve`. */
const buttonToPress = (message: Message, approve: "allow" | "deny"): string | undefined => {
  // Questions are declined: the terminal has no person to answer them, and the agent goes on.
  const decline = buttonsOf(message).find((item) => "custom_id" in item && /^q1:\w+:n$/.test(item.custom_id))
  if (decline !== undefined && "custom_id" in decline) return decline.custom_id
  const buttons = buttonsOf(message).flatMap((item) =>
    "custom_id" in item && item.custom_id.startsWith("p1:") && item.disabled !== true
      ? [{ id: item.custom_id, style: item.style }]
      : []
  )
  const style = approve === "allow" ? ButtonStyle.Success : ButtonStyle.Danger
  const matching = buttons.find((button) => button.style === style)
  return (matching ?? (approve === "allow" ? buttons[0] : buttons.at(-1)))?.id
}

const buttonsOf = (message: Message) =>
  (message.components ?? []).flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.flatMap((item) => (item.type === ComponentType.Button ? [item] : []))
      : []
  )

const textFile = (text: string): Upload => ({ name: "message.txt", data: new TextEncoder().encode(text) })

const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, StackError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new StackError({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, status: 1 })
  })
