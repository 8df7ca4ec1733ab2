import * as JsonRpc from "@heddle/acp/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import { type Command, type Event, initial, type State } from "#internal/session/SessionLife"
import { step } from "#internal/session/SessionMachine"
import { agent, ended, lost, prompt, refused } from "../../fixtures/SessionEvents.ts"

describe("whatever happens", () => {
  const kinds = [
    "PromptRequested",
    "PromptRequested",
    "PromptAbandoned",
    "PromptAnswered",
    "PromptAnswered",
    "PromptLost",
    "CancelRequested",
    "CancelSent",
    "CancelFailed",
    "CancelRetry",
    "CancelDeadline",
    "ReadyTimeout",
    "Connected",
    "Interrupted",
    "Attached",
    "AttachFailed",
    "AgentIdle",
    "HistoryRequested",
    "HistoryReplayed"
  ] as const
  type Kind = (typeof kinds)[number]

  interface Choice {
    readonly kind: Kind
    readonly pick: number
    readonly flag: boolean
  }

  /** An event of a kind, about anything that was ever requested; ids of requests are new. */
  const eventOf = ({ flag, kind, pick }: Choice, next: number, { connection }: State): Event => {
    const id = 1 + (pick % next)
    switch (kind) {
      case "PromptRequested":
        return prompt(next)
      case "PromptAnswered":
        return {
          _tag: kind,
          id,
          end: flag ? ended : Exit.fail(new JsonRpc.RpcError({ code: 1, message: "no" }))
        }
      case "PromptLost":
        return { _tag: kind, id, error: lost(flag) }
      case "CancelRequested":
        return { _tag: kind, id: next }
      case "CancelFailed":
        return { _tag: kind, id, error: flag ? lost(false) : refused }
      case "CancelDeadline":
        return { _tag: kind, id, turnId: flag ? undefined : 1 + ((pick * 7) % next) }
      case "Connected":
        return { _tag: kind, fresh: flag }
      case "Interrupted":
        return { _tag: kind, error: lost(true) }
      case "Attached":
        return {
          _tag: kind,
          connection: flag ? connection : pick % (connection + 1),
          agent,
          loads: true,
          repeats: true
        }
      case "AttachFailed":
        return {
          _tag: kind,
          connection: flag && pick % 5 === 0 ? connection : 0,
          error: pick % 2 === 0 ? refused : lost(true)
        }
      case "AgentIdle":
      case "HistoryRequested":
        return { _tag: kind }
      case "HistoryReplayed":
        return {
          _tag: kind,
          finding: (["Present", "Missing", "Unproven"] as const)[pick % 3] ?? "Present"
        }
      default:
        return { _tag: kind, id }
    }
  }

  const choices = FastCheck.array(
    FastCheck.record({
      kind: FastCheck.constantFrom(...kinds),
      pick: FastCheck.nat(1000),
      flag: FastCheck.boolean()
    }),
    { maxLength: 80 }
  )

  /** Runs choices; `check` sees every step. */
  const run = (
    all: ReadonlyArray<Choice>,
    check: (before: State, after: State, commands: ReadonlyArray<Command>) => void
  ) => {
    let state = initial
    const asked: Array<Event> = []
    const events: Array<Event> = []
    for (const choice of all) {
      const event = eventOf(choice, asked.length + 1, state)
      if (event._tag === "PromptRequested" || event._tag === "CancelRequested") asked.push(event)
      events.push(event)
      const [next, commands] = step(state, event)
      check(state, next, commands)
      state = next
    }
    return { state, asked, events }
  }

  it("a prompt is sent once at most, on a ready channel, and never while a cancellation is on its way", () => {
    FastCheck.assert(
      FastCheck.property(choices, (all) => {
        const sent = new Set<number>()
        run(all, (_, state, commands) => {
          for (const command of commands) {
            if (command._tag !== "SendPrompt") continue
            assert.isFalse(sent.has(command.prompt.id))
            sent.add(command.prompt.id)
            assert.strictEqual(state.channel._tag, "Ready")
            assert.deepStrictEqual(state.cancels, [])
          }
        })
      }),
      { numRuns: 2_000 }
    )
  })

  it("a turn ends once, a cancellation is settled once, and nothing waits on a ready or closed channel", () => {
    FastCheck.assert(
      FastCheck.property(choices, (all) => {
        const over = new Set<string>()
        run(all, (_, { cancels, channel, queue, turn }, commands) => {
          for (const command of commands) {
            const name =
              command._tag === "EndTurn"
                ? `turn ${command.turn.id}`
                : command._tag === "SettleCancel"
                  ? `cancel ${command.message.id}`
                  : undefined
            if (name === undefined) continue
            assert.isFalse(over.has(name), name)
            over.add(name)
          }
          assert.isTrue(queue.length === 0 || turn !== undefined || cancels.length > 0, "a prompt waits for nothing")
          assert.isFalse(turn?.delivery === "NotSent" && cancels.length > 0, "a cancellation could stop the next turn")
          if (channel._tag !== "Ready" && channel._tag !== "Closed") return
          assert.notStrictEqual(turn?.delivery, "NotSent")
          if (channel._tag === "Ready") assert.isTrue(cancels.every(({ stage }) => stage !== "Waiting"))
        })
      }),
      { numRuns: 2_000 }
    )
  })

  it("every prompt and every cancellation comes to an end once the channel answers", () => {
    FastCheck.assert(
      FastCheck.property(choices, (all) => {
        const over = new Set<number>()
        const settle = (commands: ReadonlyArray<Command>) => {
          for (const command of commands) if (command._tag === "EndTurn") over.add(command.turn.id)
        }
        const { asked, events, state: reached } = run(all, (_, __, commands) => settle(commands))
        for (const event of events) if (event._tag === "PromptAbandoned") over.add(event.id)
        let state = reached
        const go = (event: Event) => {
          const [next, commands] = step(state, event)
          settle(commands)
          state = next
        }
        go({ _tag: "Connected", fresh: true })
        go({ _tag: "Attached", connection: state.connection, agent, loads: true, repeats: true })
        for (let round = 0; round < 2 * asked.length + 2; round++) {
          for (const { id, stage } of state.cancels) {
            go(stage === "Pausing" ? { _tag: "CancelRetry", id } : { _tag: "CancelSent", id })
          }
          if (state.turn !== undefined) go({ _tag: "PromptAnswered", id: state.turn.id, end: ended })
        }
        const open = asked.flatMap((event) =>
          event._tag === "PromptRequested" && !over.has(event.prompt.id) ? [event.prompt.id] : []
        )
        assert.deepStrictEqual([state.turn, state.queue, state.cancels, open], [undefined, [], [], []])
      }),
      { numRuns: 2_000 }
    )
  })
})
