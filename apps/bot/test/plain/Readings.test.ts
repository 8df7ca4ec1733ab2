import { existsSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { PlainService, Readings } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type PlainStack, startPlainStack } from "../support/PlainStack.ts"
import { makeAgent, type Person, personAt } from "../support/ReadingStories.ts"
import { codeOf, confirm } from "../support/Stack.ts"

interface Teller extends Person {
  readonly stack: PlainStack
  readonly service: PlainService
  /** Lets a slow answer of the agent end. */
  readonly finish: () => void
}

/** The harsher values of a reading, each with what a person sees; or the test beside this one that varies it. */
type Entry<A> = Told<A> | { readonly variedIn: string }

interface Told<A> {
  readonly values: ReadonlyArray<A>
  readonly tell: (teller: Teller, value: A) => Promise<unknown>
}

const usual = ({ usualStory }: Teller) => usualStory()

const table = {
  consent: {
    values: ["form", "deny"],
    tell: async ({ ask, disconnect, open, service, stack, told, usualStory }, consent) => {
      await disconnect()
      const asked = await ask("connect")
      if (consent === "form") {
        const agree = async (link: string) => {
          const { url } = await fetch(link)
          const body = new URLSearchParams({ decision: "allow" })
          return codeOf(await (await fetch(url, { method: "POST", body })).text())
        }
        assert.match((await confirm(stack.emulator, asked, agree, stack.you)).content, /is connected/)
        return usualStory()
      }
      await open(asked)
      await told(/You chose not to allow it on the page, so nothing was changed/)
      service.setReadings({ consent: "auto" })
      return stack.connect()
    }
  },
  person: {
    values: ["grace"],
    tell: async ({ allow, press, reconnect, service, usualStory }) => {
      const change = async (name: string, command: string) => {
        service.setReadings({ person: name })
        const question = await allow(command)
        assert.match(
          question.content,
          new RegExp(`This is another account[^]*\\*\\*${name}\\*\\*[^]*Nothing was changed`)
        )
        assert.match((await press(question)).content, new RegExp(`\\*\\*${name}\\*\\* is connected now`))
      }
      await change("grace", "redeem code")
      await usualStory()
      assert.strictEqual(service.tasks().at(-1)?.person, "grace")
      await change("ada", "verify-phone")
      await reconnect()
    }
  },
  applicationScopes: {
    values: [["user.profile.readable", "user.credit.readable", "user.task.readable", "user.task.invokable"]],
    tell: async ({ creditOf, invitedBy, open, reconnect, usualStory }) => {
      await reconnect()
      await usualStory()
      const page = await open(await invitedBy("assistant send", { message: "Hello" }))
      assert.strictEqual(page.status, 400)
      assert.match(await page.text(), /invalid_scope/)
      assert.match(await creditOf(), /left/)
    }
  },
  withheldScopes: { variedIn: "Scopes.test.ts" },
  applicationActive: {
    values: [false],
    tell: async ({ ask, service, usualStory }) => {
      const before = service.tasks().length
      const refusal = (await ask("task new", { prompt: "one" })).content
      assert.match(refusal, /was not started\. .*the application is not active\. Nothing was changed or charged/)
      assert.match((await ask("credit")).content, /the application is not active/)
      assert.lengthOf(service.tasks(), before)
      service.setReadings({ applicationActive: true })
      await usualStory()
    }
  },
  codeLifetimeMs: {
    values: [0],
    tell: async ({ disconnect, service, stack }) => {
      await disconnect()
      assert.match((await stack.connect()).content, /did not accept the sign-in any more\. Nothing was connected/)
      service.setReadings({ codeLifetimeMs: 60_000 })
      await stack.connect()
    }
  },
  accessTokenLifetimeMs: {
    values: [1999],
    tell: async ({ creditOf, reconnect, usualStory }, lifetime) => {
      await reconnect()
      await usualStory()
      await setTimeout(lifetime)
      assert.match(await creditOf(), /left/)
    }
  },
  refresh: {
    values: ["keeps"],
    tell: async ({ creditOf, reconnect, service, usualStory }) => {
      await reconnect()
      for (let n = 0; n < 2; n++) {
        service.revokeTokens("access")
        assert.match(await creditOf(), /left/)
      }
      await usualStory()
    }
  },
  refreshEndsAccess: {
    values: [true],
    tell: async ({ creditOf, service, usualStory }) => {
      service.revokeTokens("access")
      const [one, other] = await Promise.all([creditOf(), creditOf(), usualStory()])
      assert.match(one, /left/)
      assert.match(other, /left/)
    }
  },
  unauthorized: {
    values: ["empty", "invalid_token", "Unauthorized", "envelope", "text"],
    tell: async ({ ask, creditOf, says, service, shows, stack }) => {
      const thread = await stack.start("one")
      await shows(thread, /Echo: one[^]*done ·/)
      service.revokeTokens("access")
      assert.match(await creditOf(), /left/)
      service.revokeTokens("access")
      service.revokeTickets()
      await says(thread, "two")
      service.revokeTokens("all")
      assert.match((await ask("credit")).content, /connect/)
      await stack.connect()
      assert.match(await creditOf(), /left/)
    }
  },
  avatar: {
    values: ["", "no address", "http://127.0.0.1/a.png"],
    tell: async ({ ask }) => {
      const [embed] = (await ask("profile")).embeds
      assert.match(embed?.description ?? "", /\*\*ada\*\*/)
      assert.isUndefined(embed?.thumbnail)
    }
  },
  phoneNumber: {
    values: ["+85298765432"],
    tell: async ({ allow, submit }, number) => {
      await allow("verify-phone")
      assert.match(await submit("verify-phone", { phone: number }), /^✅/)
      assert.match(await submit("verify-phone", { phone: "13800138000" }), /^❌ This is not/)
    }
  },
  creditCapacity: {
    values: [0],
    tell: async ({ creditOf }) => assert.match(await creditOf(), /\*\*-250\*\* left · 250 of 0 used/)
  },
  creditUsed: {
    values: [2000],
    tell: async ({ creditOf }) => assert.match(await creditOf(), /\*\*-1,000\*\* left · 2,000 of 1,000 used/)
  },
  repeatedRedemption: {
    values: ["conflict", "sameResult"],
    tell: async ({ allow, creditOf, reconnect, service, submit, told }, repeated) => {
      const capacity = async () => Number(/ of ([\d,]+) used/.exec(await creditOf())?.[1]?.replace(",", ""))
      await reconnect()
      await allow("redeem code")
      const before = await capacity()
      service.addVoucher({ code: repeated, credits: 50 })
      service.addFault({ path: /\/redemptions$/, when: "after", effect: "reset" })
      await submit("redeem code", { code: repeated })
      await told(repeated === "conflict" ? /has handled this redemption, but does not tell/ : /\*\*50 credits\*\* were/)
      assert.strictEqual(await capacity(), before + 50)
    }
  },
  assistant: { variedIn: "AssistantQuestions.test.ts" },
  assistantOnline: { variedIn: "AssistantQuestions.test.ts" },
  messageContent: { variedIn: "AssistantQuestions.test.ts" },
  messagePages: {
    values: ["newestFirst", "oldestFirst"],
    tell: async ({ allow, ask, reconnect, service, shows, stack: { emulator, you } }) => {
      await reconnect()
      await allow("assistant chat")
      const thread = /<#(\d+)>/.exec((await ask("assistant chat")).content)?.[1] ?? ""
      const { assistant } = service
      assistant.messages.splice(0)
      for (const text of ["one", "two"]) {
        const { length } = assistant.messages
        await you.send(thread, `say ${text}`)
        await emulator.waitFor(() => assistant.messages.length > length, { what: "the message at the service" })
        assistant.say(`heard ${text}`)
        await shows(thread, new RegExp(`heard ${text}`))
      }
      // Within one second, only the order of the service tells which message is newer.
      const aMinuteAgo = new Date(Date.now() - 60_000).toISOString()
      for (const message of assistant.messages.slice(0, 2)) Object.assign(message, { created_at: aMinuteAgo })
      const history = (await ask("assistant history")).embeds[0]?.description ?? ""
      assert.match(history, /heard two[^]*say two[^]*heard one[^]*say one/)
    }
  },
  times: {
    values: ["utc", "offset"],
    tell: async ({ ask, stack: { start }, shows }) => {
      await shows(await start("timed"), /done ·/)
      const list = (await ask("task list")).embeds[0]?.description ?? ""
      const seconds = Number(/\*\*timed\*\*[^\n]*<t:(\d+)/.exec(list)?.[1])
      assert.closeTo(seconds, Date.now() / 1000, 30, list)
    }
  },
  creatingMs: { values: [1500], tell: usual },
  firstPrompt: { variedIn: "FirstPrompt.test.ts" },
  laterMs: { variedIn: "FirstPrompt.test.ts" },
  restStatus: { variedIn: "Status.test.ts" },
  askStatus: { variedIn: "Status.test.ts" },
  taskFields: { variedIn: "TaskStart.test.ts" },
  taskOrder: { variedIn: "TaskList.test.ts" },
  linkMovesOnQuery: { variedIn: "MovingLinks.test.ts" },
  ticketLifetimeMs: {
    values: [1500],
    tell: async ({ says, usualStory }, lifetime) => {
      const thread = await usualStory()
      await setTimeout(lifetime)
      await says(thread, "later")
    }
  },
  endedTickets: { variedIn: "MovingLinks.test.ts" },
  initialize: { variedIn: "Stories.test.ts" },
  promptCapabilities: { variedIn: "Files.test.ts" },
  replay: { variedIn: "Stories.test.ts" },
  replayedChunks: { values: ["joined"], tell: (teller) => restarted(teller) },
  replayedMeta: { values: ["dropped"], tell: (teller) => restarted(teller) },
  replayedPrompts: { variedIn: "PromptDelivery.test.ts" },
  loadResult: { values: ["null"], tell: (teller) => restarted(teller) },
  sse: {
    values: ["awkward"],
    tell: async (teller) => {
      await teller.usualStory()
      await restarted(teller)
    }
  },
  requestIds: { values: ["strings"], tell: usual },
  pendingRequests: { variedIn: "Permission.test.ts" },
  permissionTimeoutMs: { variedIn: "Permission.test.ts" },
  ignoreCancel: { variedIn: "UnconfirmedStop.test.ts" },
  cancelGraceMs: {
    values: [0, 2000],
    tell: async ({ says, shows, stack: { start, you } }) => {
      const thread = await start("slow")
      await shows(thread, /First half/)
      await you.send(thread, "stop")
      assert.notMatch(await shows(thread, /ended after the stop request/), /has not confirmed/)
      await says(thread, "next")
    }
  },
  usage: {
    values: ["empty"],
    tell: async ({ stack: { start }, shows }) => {
      const transcript = await shows(await start("one"), /Echo: one[^]*done ·/)
      assert.notMatch(transcript, /done ·.*(tokens|NaN|undefined)/)
    }
  },
  roundsAtRestart: {
    values: ["fail", "continue"],
    tell: async ({ finish, says, service, shows, stack: { start } }, rounds) => {
      const thread = await start("slow")
      await shows(thread, /First half/)
      await service.restart()
      if (rounds === "continue") finish()
      const transcript = await shows(
        thread,
        rounds === "continue"
          ? /second half[^]*done ·/
          : /First half[^]*This did not work\n.*What was done before is shown above/
      )
      assert.lengthOf(transcript.split("First half"), 2, transcript)
      await says(thread, "next")
    }
  },
  int64: { variedIn: "Artifacts.test.ts" },
  artifactPagination: { variedIn: "Artifacts.test.ts" },
  media: { variedIn: "Artifacts.test.ts" },
  deletedArtifacts: { variedIn: "Artifacts.test.ts" },
  severalSessions: { variedIn: "Artifacts.test.ts" }
} satisfies { readonly [Name in keyof Readings]: Entry<Readings[Name]> }

/** The bot restarts in the middle of an answer, which is then shown whole, once. */
const restarted = async ({ finish, says, shows, stack: { start, startBot, stopBot } }: Teller) => {
  const thread = await start("slow")
  await shows(thread, /First half/)
  await stopBot()
  // Only the connection of the prompt hears its end: later, the bot asks for it after 45 s of silence.
  finish()
  await startBot()
  const transcript = await shows(thread, /First half 🧵[^]*- second half[^]*done ·/)
  assert.lengthOf(transcript.split("First half"), 2, transcript)
  await says(thread, "next")
}

/** Stories that run at the same time each have a service of their own. */
const places = 3

describe("the bot at a service that reads the document in another way", { concurrent: true, timeout: 120_000 }, () => {
  const tellers: Array<Teller> = []
  const free = Effect.runSync(Queue.unbounded<Teller>())
  beforeAll(async () => {
    for (let n = 0; n < places; n++) {
      const { finish, script } = makeAgent()
      const stack = await startPlainStack({ script })
      const teller = { ...personAt(stack), stack, service: stack.service, finish }
      tellers.push(teller)
      await stack.connect()
      free.unsafeOffer(teller)
    }
  })
  afterAll(() => Promise.all(tellers.map(({ stack }) => stack.close())))

  const tell = async (name: string, entry: Told<unknown>, value: unknown) => {
    const teller = await Effect.runPromise(Queue.take(free))
    const { service } = teller
    const { readings } = service
    service.setReadings({ [name]: value })
    await entry.tell(teller, value).finally(() => {
      service.setReadings(readings)
      free.unsafeOffer(teller)
    })
  }

  for (const [name, entry] of Object.entries(table as Readonly<Record<string, Entry<unknown>>>))
    if ("variedIn" in entry)
      it(`${name} is varied in ${entry.variedIn}`, () => {
        const file = new URL(entry.variedIn, import.meta.url)
        assert.isTrue(existsSync(file))
        assert.match(readFileSync(file, "utf8"), new RegExp(`\\b${name}( \\}|[:,])`))
      })
    else for (const value of entry.values) it(`${name}: ${JSON.stringify(value)}`, () => tell(name, entry, value))
})
