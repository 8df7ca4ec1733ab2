import { setTimeout } from "node:timers/promises"
import type { FaultRule } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../PlainStack.ts"
import { buttonsOf } from "../Stack.ts"
import { writeAsAnother } from "./AnotherClient.ts"
import { makeAgent, numberOf } from "./Agent.ts"
import { type ShownEnd, watchEnds } from "./Ends.ts"
import type { Fault, Moment, Scenario, Step } from "./Scenario.ts"
import { start } from "./Start.ts"

/** A message that the bot takes; `isResent`: a click repeats an earlier one. */
interface Turn {
  readonly text: string
  readonly isResent: boolean
}

/** What was seen in a story. */
export interface Played {
  readonly stack: PlainStack
  readonly thread: string
  /** In the order in which the bot takes them. */
  readonly turns: Array<Turn>
  readonly ends: ReadonlyArray<ShownEnd>
  /** The words of the agent. */
  readonly said: ReadonlyArray<string>
  /** How often the task was sent. */
  readonly sends: number
}

interface Story extends Played {
  readonly openGates: (isForGood: boolean) => void
  /** The messages whose button "Send it" was used. */
  readonly resent: Set<string>
}

/** Plays a story until each message has its end. Rejects when one has none, or its thread is held. */
export const play = async (scenario: Scenario, use: (played: Played) => void) => {
  const { openGates, said, script } = makeAgent()
  await withPlainStack({ ...scenario.readings, script, emulator: { users: ["Ada", "Sam"] } }, async (stack) => {
    const first = { text: `m0 ${scenario.first.behavior}`, isResent: false }
    const started = await start(stack, scenario, first.text)
    const { ends, stop } = watchEnds(stack, started.thread)
    const story: Story = { ...started, stack, turns: [first], ends, said, openGates, resent: new Set() }
    await waitUntil(story, scenario.first.until)
    for (const step of scenario.steps) await act(story, step)
    stack.service.clearFaults()
    openGates(true)
    await finish(story)
    await stack.emulator.quiet(story.thread, 1500)
    stop()
    use(story)
  })
}

const act = async (story: Story, step: Step): Promise<unknown> => {
  const { stack, thread, turns } = story
  const { service, you } = stack
  switch (step.does) {
    case "write":
      for (const behavior of step.behaviors) {
        const text = `m${turns.length} ${behavior}`
        turns.push({ text, isResent: false })
        await you.send(thread, text)
      }
      return waitUntil(story, step.until)
    case "answer":
      return click(story, new RegExp(`^${step.choice}`), step)
    case "send it":
      return sendAgain(story, step)
    case "fault":
      return service.addFault({ ...requests[step.fault.target], ...step.fault })
    case "cut":
      return service.cutStreams(step.how)
    case "end tickets":
      return service.revokeTickets()
    case "end tokens":
      return service.revokeTokens("access")
    case "another client writes":
      return writeAsAnother(service, `other ${service.rounds.length}`)
    case "open gates":
      return story.openGates(false)
    case "bot is away":
      await stack.stopBot()
      for (const each of step.meanwhile) await act(story, each)
      await setTimeout(step.seconds * 1000)
      return stack.startBot()
    case "restart bot":
      await stack.stopBot()
      return stack.startBot()
    case "restart service":
      return service.restart()
    case "stop":
      return you.send(thread, "stop")
  }
}

const requests: Readonly<Record<Fault["target"], Pick<FaultRule, "method" | "path" | "rpcMethod">>> = {
  cancel: { rpcMethod: "session/cancel" },
  initialize: { rpcMethod: "initialize" },
  load: { rpcMethod: "session/load" },
  prompt: { rpcMethod: "session/prompt" },
  response: { rpcMethod: "response" },
  stream: { method: "GET", path: /\/acp$/ },
  task: { method: "GET", path: /\/tasks\/[^/]+$/ }
}

/** Waits for a moment of the newest message, which may never come. */
const waitUntil = ({ ends, said, stack, thread, turns }: Story, moment: Moment) => {
  const text = turns.at(-1)?.text ?? ""
  const word = `${numberOf(text)}z`
  const isReached: Readonly<Record<Moment, () => boolean>> = {
    written: () => true,
    arrived: () => stack.service.rounds.some((round) => round.text.includes(text)),
    begun: () => said.some((each) => each.endsWith(word)),
    shown: () => stack.emulator.transcript(thread).includes(word),
    ended: () => ends.length >= turns.length
  }
  return stack.emulator.waitFor(isReached[moment], { timeoutMs: 4000 }).catch(() => undefined)
}

const newestButton = ({ stack, thread }: Story, label: RegExp) =>
  stack.emulator
    .messages(thread)
    .flatMap((message) => buttonsOf(message).map((button) => ({ message, button })))
    .findLast(({ button }) => label.test(button.label ?? ""))

const click = async (
  story: Story,
  label: RegExp,
  { clicks, who }: { readonly clicks: number; readonly who: "other" | "owner" }
) => {
  const { emulator, you } = story.stack
  const found = await emulator.waitFor(() => newestButton(story, label), { timeoutMs: 3000 }).catch(() => undefined)
  if (found === undefined) return undefined
  const person = who === "owner" ? you : emulator.user("Sam")
  const press = () => person.press(story.thread, found.message.id, found.button.custom_id).catch(() => undefined)
  await Promise.all(Array.from({ length: clicks }, press))
  return found.message.id
}

/** Clicks on "Send it": the first click of the owner counts. */
const sendAgain = async (story: Story, how: Parameters<typeof click>[2]) => {
  const { ends, resent, turns } = story
  const messageId = await click(story, /^Send it$/, how)
  if (messageId === undefined || how.who === "other" || resent.has(messageId)) return
  resent.add(messageId)
  const turn = turns[ends.findIndex((end) => end.messageId === messageId)]
  if (turn !== undefined) turns.push({ text: turn.text, isResent: true })
}

/**
 * Allows what is asked until each message has its end. Stops an agent that waits for an answer that it cannot get; a
 * thread that waits while nothing runs is held.
 */
const finish = async (story: Story) => {
  const { ends, stack, thread, turns } = story
  const { emulator, you } = stack
  const clicked = new Set<string>()
  const isOver = () => {
    const open = newestButton(story, /^Allow/)
    if (open !== undefined && !clicked.has(open.message.id)) {
      clicked.add(open.message.id)
      void you.press(thread, open.message.id, open.button.custom_id).catch(() => clicked.delete(open.message.id))
    }
    return ends.length >= turns.length
  }
  const whatHappened = () => JSON.stringify([ends.length, stack.service.rounds.map(({ end }) => end ?? "runs")])
  const isAtRest = () => stack.service.rounds.every(({ end }) => end !== undefined)
  for (let stops = 0; stops <= turns.length;) {
    const before = whatHappened()
    const timeoutMs = isAtRest() ? restMs : 30_000
    if (await emulator.waitFor(isOver, { timeoutMs }).catch(() => false)) return
    if (whatHappened() !== before) continue
    if (isAtRest()) throw unfinished(story, "The thread is held")
    stops++
    await you.send(thread, "stop")
  }
  throw unfinished(story, "Stops end nothing")
}

/** Longer than the bot waits for a channel that is silent while nothing runs. */
const restMs = 90_000

const unfinished = ({ ends, stack, thread, turns }: Story, problem: string) =>
  new Error(`${problem}: ${ends.length} ends of ${turns.length} messages\n${stack.emulator.transcript(thread)}`)
