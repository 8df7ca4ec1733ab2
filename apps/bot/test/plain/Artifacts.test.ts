import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions, Round } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

const base = "agent:///artifacts/"
const ended = { stopReason: "end_turn" }

const media = (name: string, mimeType: string, contentType: string) => ({
  type: "media",
  uri: `${base}${name}`,
  name,
  mimeType,
  contentType
})

const notes = media("notes.txt", "text/plain", "document")

const paths = { list: /\/api\/session\/artifacts$/, media: /\/artifacts\/notes\.txt$/ }

const attachmentsIn = (messages: ReadonlyArray<{ readonly attachments: ReadonlyArray<unknown> }>) =>
  messages.flatMap(({ attachments }) => attachments)

/** A script that produces artifacts in its second round, when the bot gets the pushes. */
const producing = (produce: (round: Round) => Promise<void> | void) => async (round: Round) => {
  if (round.index === 1) await produce(round)
  else round.say(`Echo: ${round.text}`)
  return ended
}

/** Begins the second round. */
const begin = async ({ shows, start, you }: PlainStack) => {
  const thread = await start("one")
  await shows(thread, /Echo: one[^]*done ·/, 15_000)
  await you.send(thread, "go")
  return thread
}

const bodies401 = {
  empty: "",
  invalid_token: { error: "invalid_token" },
  Unauthorized: { error: "Unauthorized" },
  envelope: { code: 401, msg: "Unauthorized" },
  text: "Unauthorized"
} as const

const cardOf = ({ emulator }: PlainStack, thread: string, words: RegExp) => {
  const cards = emulator.messages(thread).filter(({ embeds }) => words.test(JSON.stringify(embeds)))
  assert.lengthOf(cards, 1)
  return cards[0]!
}

/** The private answer to a command. */
const asked = async (
  { you }: PlainStack,
  thread: string,
  path: string,
  options: Readonly<Record<string, string>> = {}
) => (await you.command(thread, path, options)).settled()

const readings: ReadonlyArray<PlainServiceOptions> = [
  { int64: "string", artifactPagination: "given", media: "uri" },
  { int64: "string", artifactPagination: "absent", media: "url" },
  { int64: "number", artifactPagination: "absent", media: "uri", severalSessions: true },
  { int64: "number", artifactPagination: "given", media: "url", deletedArtifacts: "absent" }
]

describe.concurrent("artifacts of a service that keeps the document and nothing more", () => {
  for (const reading of readings) {
    it(`an old push does not replace a newer state (${JSON.stringify(reading)})`, () =>
      withPlainStack(
        {
          ...reading,
          script: producing(({ artifact }) => {
            const plan = { type: "plan", uri: `${base}plan`, title: "The way", description: "How it is done" }
            artifact("created", { ...plan, text: "the newer text", updatedAt: 2000 })
            artifact("updated", { ...plan, text: "the older text", updatedAt: 1000 })
          })
        },
        async (stack) => {
          const thread = await begin(stack)
          const transcript = await stack.shows(thread, /The way[^]*done ·/, 15_000)
          assert.match(transcript, /How it is done[^]*the newer text/)
          assert.notInclude(transcript, "the older text")
        }
      ))

    it(`files of every kind are cards with the file while the turn runs (${JSON.stringify(reading)})`, async () => {
      let finish = () => {}
      const seen = new Promise<void>((resolve) => (finish = resolve))
      const files = [
        media("notes.txt", "text/plain", "document"),
        media("voice.mp3", "audio/mpeg", "audio"),
        media("film.mp4", "video/mp4", "video"),
        media("data.bin", "application/octet-stream", "archive")
      ]
      await withPlainStack(
        {
          ...reading,
          script: producing(async ({ artifact }) => {
            for (const file of files)
              artifact("created", { ...file, description: `About ${file.name}` }, Buffer.from(`bytes of ${file.name}`))
            await seen
          })
        },
        async (stack) => {
          const { emulator } = stack
          const thread = await begin(stack)
          await emulator.waitFor(
            (e) => files.every(({ name }) => e.messages(thread).some((m) => m.attachments[0]?.filename === name)),
            { what: "the files before the end", timeoutMs: 8000 }
          )
          assert.notMatch(emulator.transcript(thread), /done ·[^]*done ·/)
          finish()
          await stack.shows(thread, /done ·[^]*done ·/, 15_000)
          for (const [at, sign] of ["📄", "🎵", "🎬", "📄"].entries()) {
            const { name } = files[at]!
            const { attachments, content, embeds } = cardOf(stack, thread, new RegExp(`${sign} ${name}`))
            assert.strictEqual(content, "")
            assert.strictEqual(embeds[0]!.description, `About ${name}`)
            assert.include(embeds[0]!.footer?.text, `${name} · ${`bytes of ${name}`.length} B`)
            assert.strictEqual(await (await fetch(attachments[0]!.url)).text(), `bytes of ${name}`)
          }
        }
      )
    })

    it(`a type that is not known has a card, a line in the list and a file (${JSON.stringify(reading)})`, () =>
      withPlainStack(
        {
          ...reading,
          script: producing(({ artifact }) => {
            const flow = { type: "diagram", uri: `${base}flow.svg`, name: "Flow *chart*", description: "How it flows" }
            artifact("created", flow, Buffer.from("<svg/>"))
            artifact("created", { type: "site", uri: `${base}shop`, url: "https://shop.example/start" })
          })
        },
        async (stack) => {
          const { you } = stack
          const thread = await begin(stack)
          await stack.shows(thread, /done ·[^]*done ·/, 15_000)
          const card = cardOf(stack, thread, /📦 Flow \*chart\*/)
          assert.deepInclude(card.embeds[0], { description: "How it flows", footer: { text: "type: diagram" } })
          assert.match(cardOf(stack, thread, /📦 shop/).embeds[0]!.description ?? "", /https:\/\/shop\.example\/start/)
          const list = (await asked(stack, thread, "artifacts list")).embeds[0]!.description!
          assert.match(list, /📦 \*\*Flow \\\*chart\\\*\*\* · diagram · \[card\]\(https:/)
          assert.match(list, /📦 \*\*shop\*\* · site · \[card\]\(https:/)
          const got = await (await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)).settled()
          assert.strictEqual(await (await fetch(got.attachments[0]!.url)).text(), "<svg/>")
          const none = await asked(stack, thread, "artifacts download", { name: "shop" })
          assert.match(none.content, /has no file for this[^]*Nothing was changed or charged/)
        }
      ))

    it(`what was deleted says so, and stays so (${JSON.stringify(reading)})`, () =>
      withPlainStack(
        {
          ...reading,
          script: async ({ artifact, index, say, text }) => {
            say(`Echo: ${text}`)
            const file = { ...media("old.txt", "text/plain", "document"), createdAt: 1 }
            const diagram = { type: "diagram", uri: `${base}flow`, name: "Flow", createdAt: 2 }
            if (index === 0) {
              artifact("created", file, Buffer.from("old"))
              artifact("created", diagram)
            } else artifact("deleted", diagram)
            return ended
          }
        },
        async (stack) => {
          const thread = await stack.start("write")
          await stack.shows(thread, /done ·[^]*old\.txt[^]*Flow/, 15_000)
          await stack.stopBot()
          const [task] = stack.service.tasks()
          stack.service.putArtifact(task!.taskId, "deleted", { type: "media", uri: `${base}old.txt` })
          await stack.startBot()
          await stack.you.send(thread, "delete")
          await stack.shows(thread, /done ·[^]*🗑️ old\.txt was deleted[^]*🗑️ Deleted: 📦 Flow[^]*done ·/, 15_000)
          const list = (await asked(stack, thread, "artifacts list")).embeds[0]!.description!
          assert.match(list, /~~old\.txt~~ · file · .*deleted[^]*~~Flow~~ · diagram · .*deleted/)
        }
      ))
  }

  it("a busy service gets as much time as it asks for, and the file comes", () =>
    withPlainStack(
      {
        script: producing(({ artifact }) =>
          artifact("created", media("notes.txt", "text/plain", "document"), Buffer.from("notes"))
        )
      },
      async (stack) => {
        const { service } = stack
        const effect = { status: 429, retryAfterSeconds: 1 }
        service.addFault({ path: /\/artifacts\/notes\.txt$/, when: "before", effect })
        service.addFault({ path: /\/api\/session\/artifacts$/, when: "before", effect })
        const thread = await begin(stack)
        const { attachments } = await stack.emulator.waitFor(
          (e) => e.messages(thread).find((message) => message.attachments.length > 0),
          { what: "the file", timeoutMs: 15_000 }
        )
        assert.strictEqual(await (await fetch(attachments[0]!.url)).text(), "notes")
      }
    ))

  for (const [form, newer, older] of [
    ["strings", "9007199254740999", "9007199254740995"],
    ["numbers", 9007199254742000, 9007199254741000]
  ] as const)
    it(`an old push does not replace a newer state, with times beyond 2^53 as ${form} (decision 21)`, () =>
      withPlainStack(
        {
          script: producing(({ artifact }) => {
            const plan = { type: "plan", uri: `${base}plan`, title: "The way" }
            const at = (updatedAt: number | string) => ({ updatedAt }) as { readonly updatedAt: number }
            artifact("created", { ...plan, text: "the newer text", ...at(newer) })
            artifact("updated", { ...plan, text: "the older text", ...at(older) })
          })
        },
        async (stack) => {
          const thread = await begin(stack)
          const transcript = await stack.shows(thread, /The way[^]*done ·/, 15_000)
          assert.include(transcript, "the newer text")
          assert.notInclude(transcript, "the older text")
        }
      ))

  it("every list of a session waits as long as the service asks", () =>
    withPlainStack(
      { script: producing(({ artifact }) => artifact("created", notes, Buffer.from("notes"))) },
      async (stack) => {
        const { emulator, service, you } = stack
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*done ·/, 15_000)
        const effect = { status: 429, retryAfterSeconds: 3 }
        service.addFault({ path: paths.list, when: "before", effect })
        const begun = service.requests.length
        for (const text of ["go", "more"]) await you.send(thread, text)
        await stack.shows(thread, /Echo: more[^]*done ·/, 30_000)
        const lists = () => service.requests.slice(begun).filter(({ path }) => paths.list.test(path))
        await emulator.waitFor(() => lists().length > 1, { what: "the next list", timeoutMs: 15_000 })
        const [refused, next] = lists()
        assert.strictEqual(refused!.status, 429)
        assert.isAtLeast(next!.at - refused!.at, 3000)
      }
    ))

  it("a file comes after each wait that the service asks for, and no earlier", () =>
    withPlainStack(
      { script: producing(({ artifact }) => artifact("created", notes, Buffer.from("notes"))) },
      async (stack) => {
        const { emulator, service } = stack
        const effect = { status: 429, retryAfterSeconds: 3 }
        service.addFault({ path: paths.media, when: "before", effect, times: 4 })
        const thread = await begin(stack)
        await emulator.waitFor((e) => attachmentsIn(e.messages(thread)).length > 0, {
          what: "the file",
          timeoutMs: 40_000
        })
        const at = service.requests.filter(({ path }) => paths.media.test(path)).map((request) => request.at)
        assert.lengthOf(at, 5)
        for (const [n, time] of at.slice(1).entries()) assert.isAtLeast(time - at[n]!, 3000)
      }
    ))

  it("a wait beyond the longest accepted one is told at once, and a later list brings the file", () =>
    withPlainStack(
      { script: producing(({ artifact }) => artifact("created", notes, Buffer.from("notes"))) },
      async (stack) => {
        const { emulator, service, you } = stack
        const effect = { status: 429, retryAfterSeconds: 90 }
        const remove = service.addFault({ path: paths.media, when: "before", effect, times: 100 })
        const thread = await begin(stack)
        const words = /notes\.txt could not be fetched[^]*Nothing was changed or charged[^]*<\/artifacts download:\d+>/
        await stack.shows(thread, /done ·[^]*notes\.txt could not be fetched[^]*done ·/, 15_000)
        const card = cardOf(stack, thread, /notes\.txt/)
        assert.match(card.content, words)
        assert.lengthOf(card.attachments, 0)
        assert.lengthOf(
          service.requests.filter(({ path }) => paths.media.test(path)),
          1
        )
        remove()
        // It begins anew, without the wait.
        await stack.stopBot()
        await stack.startBot()
        await you.send(thread, "more")
        await stack.shows(thread, /Echo: more[^]*Changed above[^]*notes\.txt[^]*done ·/, 15_000)
        const whole = cardOf(stack, thread, /notes\.txt/)
        assert.deepInclude(whole, { id: card.id, content: "" })
        assert.strictEqual(await (await fetch(whole.attachments[0]!.url)).text(), "notes")
        assert.notMatch(emulator.transcript(thread), words)
      }
    ))

  it("a file that was missing comes with a later push of the same turn", async () => {
    let pushAgain = () => {}
    const told = new Promise<void>((resolve) => (pushAgain = resolve))
    await withPlainStack(
      {
        script: producing(async ({ artifact }) => {
          artifact("created", { ...notes, updatedAt: 1000, size: 5 })
          await told
          artifact("updated", { ...notes, updatedAt: 1000, size: 5 }, Buffer.from("notes"))
        })
      },
      async (stack) => {
        const thread = await begin(stack)
        await stack.shows(thread, /notes\.txt could not be fetched/, 15_000)
        pushAgain()
        await stack.shows(thread, /done ·[^]*done ·/, 15_000)
        const card = cardOf(stack, thread, /notes\.txt/)
        assert.strictEqual(card.content, "")
        assert.strictEqual(await (await fetch(card.attachments[0]!.url)).text(), "notes")
      }
    )
  })

  for (const [name, body] of Object.entries(bodies401))
    it(`a token that ended is renewed for the list and the file (401 ${name})`, () =>
      withPlainStack(
        {
          script: producing(({ artifact }) =>
            artifact("created", media("notes.txt", "text/plain", "document"), Buffer.from("notes"))
          )
        },
        async (stack) => {
          const { service } = stack
          const thread = await begin(stack)
          await stack.shows(thread, /notes\.txt[^]*done ·/, 15_000)
          const fault = { when: "before", effect: { status: 401, body } } as const
          service.addFault({ ...fault, path: /\/api\/session\/artifacts$/ })
          service.addFault({ ...fault, path: /\/artifacts\/notes\.txt$/ })
          const got = await asked(stack, thread, "artifacts download", { name: "notes.txt" })
          assert.strictEqual(await (await fetch(got.attachments[0]!.url)).text(), "notes")
          const left = service.requests.filter(({ path, status }) => status === 401 && path.startsWith("/sandboxes/"))
          assert.lengthOf(left, 2)
        }
      ))
})
