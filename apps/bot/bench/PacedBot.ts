import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SessionState from "@heddle/acp/SessionState"
import { BotSettings } from "@heddle/bot/model/BotSettings"
import * as DiscordApi from "@heddle/bot/discord/DiscordApi"
import * as DiscordClient from "@heddle/bot/discord/DiscordClient"
import * as Watchdog from "@heddle/bot/concurrency/Watchdog"
import * as RateLimiter from "@heddle/bot/discord/RateLimiter"
import { english } from "@heddle/bot/messages/Translations"
import * as Database from "@heddle/bot/store/database/Database"
import * as Outbox from "@heddle/bot/outbox/Outbox"
import * as Posts from "@heddle/bot/store/Posts"
import * as TurnState from "@heddle/bot/turn/TurnState"
import * as View from "@heddle/bot/view/Turn"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { type Answer, play, type Script } from "./TextSource.ts"

const [api, token = "", ...threads] = process.argv.slice(2)
const runtime = ManagedRuntime.make(
  Layer.mergeAll(DiscordApi.layer, Posts.layer).pipe(
    Layer.provideMerge(RateLimiter.layer),
    Layer.provideMerge(DiscordClient.layer({ token: Redacted.make(token), api, silentAfterMs: 52_000 })),
    Layer.provideMerge(Database.layer(process.env["BENCH_FOLDER"] ?? "bench-data")),
    Layer.provideMerge(
      Layer.succeed(BotSettings, {
        baseUrl: "",
        editIntervalMs: 400,
        answerDeadlineMs: 290_000,
        agentSilenceMs: 20_000,
        channelSilenceMs: 45_000,
        stoppedRunMs: 60_000,
        lateOutputMs: 120_000,
        initialPrompt: "auto",
        idempotencyKeys: "auto",
        requestsPerSecond: 45,
        rollAfterMs: 3_300_000,
        stuckAfterMs: 45_000
      })
    ),
    Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, Watchdog.layer)),
    Layer.provideMerge(Logger.minimumLogLevel(LogLevel.Error))
  )
)
await runtime.runPromise(Effect.void)

/** What a turn of the bot has, without its service: what it knows, the view of it, and the outbox that shows it. */
const open = (threadId: string, turn: number): Omit<Answer, "threadId" | "turn"> => {
  const turnId = `${threadId}:${turn}`
  const scope = Effect.runSync(Scope.make())
  const state = TurnState.make(turnId)
  state.set({ session: SessionState.empty })
  const opened = runtime.runPromise(
    Outbox.open({
      threadId,
      turnId,
      messages: english,
      shut: Effect.runSync(Deferred.make<never, Outbox.ThreadShut>()),
      onShut: () => undefined,
      desiredPosts: () => ({ posts: View.posts(state.conversation(), english), isOutdated: state.isOutdated }),
      load: () => Effect.succeed(undefined),
      replyTo: () => Effect.succeed(undefined),
      onRefused: () => Effect.void
    }).pipe(
      Effect.tap((outbox) =>
        Effect.sync(() => {
          state.onChange(() => outbox.changed())
          outbox.changed()
        })
      ),
      // Open until the process ends, unless the answer ends it.
      Effect.provideService(Scope.Scope, scope)
    )
  )
  return {
    begin: () => {},
    grow: (text) => {
      const key = `answer${turn}`
      const said = { _tag: "Message", key, role: "agent", text, content: [] } as const
      state.set({ session: { ...SessionState.empty, entries: [said] } })
    },
    end: async () => {
      state.set({ end: { _tag: "Done", stopReason: "end_turn", milliseconds: 1000, tokens: undefined } })
      const outbox = await opened
      await runtime.runPromise(Effect.zipRight(outbox.flush, Scope.close(scope, Exit.void)))
    }
  }
}

const idle = new Map<string, ReturnType<typeof open>>()

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const memory = () => {
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { rss, heap: heapUsed }
}

type Run = Script | { readonly memory: true } | { readonly open: number }

const run = async (what: Run): Promise<unknown> => {
  if ("memory" in what) return memory()
  if ("open" in what) {
    for (const threadId of threads.slice(0, what.open)) idle.set(threadId, open(threadId, 0))
    await new Promise((resolve) => setTimeout(resolve, 500))
    return memory()
  }
  return play(what, threads, (threadId, turn) => (turn === 0 ? idle.get(threadId) : undefined) ?? open(threadId, turn))
}

process.on("message", async (message: { readonly run?: Run }) => {
  if (message.run !== undefined) process.send?.({ done: await run(message.run) })
})
process.send?.({ ready: {} })
