import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { rest } from "../support/Rest.ts"
import { setRule } from "../support/Settings.ts"
import { buttonsOf } from "../support/Stack.ts"

const creation = { method: "POST", path: /\/tasks$/ } as const
const lost = [{ status: 502 }, { status: 503 }, "reset"] as const
/** With these the document does not say that nothing was done; 409 may be about this very request. */
const doubtful = [302, 408, 409, 425, 501]
const replays = ["full", "withoutUserMessages"] as const
const unknown = /not known whether your task was started/

/** Exactly one task, of which the prompt ran once. */
const assertOne = ({ service }: PlainStack, prompt: string) => {
  assert.deepEqual(
    service.tasks().map((task) => task.prompt),
    [prompt]
  )
  assert.deepEqual(
    service.rounds.map(({ text }) => text),
    [prompt]
  )
}

const creations = ({ service }: PlainStack) =>
  service.requests.filter(({ method, path }) => method === "POST" && creation.path.test(path)).length

const request = ({ emulator, you }: PlainStack, prompt: string) =>
  you.command(emulator.channelId, "task new", { prompt })

const firstThread = ({ emulator }: PlainStack) =>
  emulator.waitFor((e) => e.threads()[0]?.id, { what: "a thread", timeoutMs: 15_000 })

/** The private answer that says that the start is not known. */
const unknownAnswer = ({ emulator, you }: PlainStack) =>
  emulator.waitFor(
    () => you.ephemerals().find(({ content, components }) => unknown.test(content) && (components ?? []).length > 0),
    {
      what: "that it is not known",
      timeoutMs: 15_000
    }
  )

const saysPrivately = ({ emulator }: PlainStack, who: Actor, words: RegExp) =>
  emulator.waitFor(() => who.ephemerals().find(({ content }) => words.test(content)), { what: String(words) })

const control = (message: Parameters<typeof buttonsOf>[0], choice: string) =>
  buttonsOf(message).find(({ custom_id }) => custom_id.endsWith(`:${choice}`))!.custom_id

/** Creates a task as another client of the same person does. */
const createElsewhere = async ({ service }: PlainStack, task: { readonly prompt: string; readonly name?: string }) => {
  const response = await fetch(`${service.url}/openapi/v2/tasks`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.grant().access_token}`, "content-type": "application/json" },
    body: JSON.stringify(task)
  })
  assert.strictEqual(response.status, 201)
}

describe.concurrent("the start of a task at a service without idempotency keys", { timeout: 60_000 }, () => {
  for (const replay of replays)
    for (const effect of lost)
      for (const times of [1, 4])
        it(`creates one task after lost answers (${JSON.stringify(effect)}, ${times} times, replay ${replay})`, () =>
          withPlainStack({ replay }, async (stack) => {
            stack.service.addFault({ ...creation, when: "after", effect, times })
            await request(stack, "one")
            await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
            assert.strictEqual(creations(stack), 1)
            assertOne(stack, "one")
          }))

  for (const status of doubtful)
    it(`finds the task that a service created and then answered with ${status}`, () =>
      withPlainStack({}, async (stack) => {
        stack.service.addFault({ ...creation, when: "after", effect: { status } })
        await request(stack, "one")
        await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
        assert.strictEqual(creations(stack), 1)
        assertOne(stack, "one")
      }))

  for (const bot of [{}, { idempotencyKeys: true }])
    it(`offers to look and to send after 409 without a task (${JSON.stringify(bot)})`, { timeout: 40_000 }, () =>
      withPlainStack({ bot }, async (stack) => {
        stack.service.addFault({ ...creation, when: "before", effect: { status: 409 } })
        await request(stack, "one")
        const answer = await unknownAnswer(stack)
        assert.notMatch(answer.content, /not started|Nothing was changed/)
        assert.strictEqual(creations(stack), 1)
        await stack.you.press(answer.channel_id, answer.id, control(answer, "send"))
        await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
        assert.strictEqual(creations(stack), 2)
        assertOne(stack, "one")
      })
    )

  it("sends a lost creation again by itself where its operator says that the service keeps keys", () =>
    withPlainStack({ bot: { idempotencyKeys: true } }, async (stack) => {
      stack.service.addFault({ ...creation, when: "before", effect: "reset" })
      await request(stack, "one")
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      assert.strictEqual(creations(stack), 2)
      assertOne(stack, "one")
    }))

  it("is stopped by /task stop in its post of a forum while the service has not answered yet", () =>
    withPlainStack(
      {
        script: async ({ say, signal }) => {
          say("Begun")
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
          return { stopReason: "cancelled" }
        }
      },
      async (stack) => {
        const { emulator, service, you } = stack
        const forum = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, {
          name: "tasks",
          type: 15,
          topic: `Every post here is a task for <@${emulator.applicationId}>.`
        })
        service.addFault({ ...creation, when: "before", effect: { delayMs: 3000 } })
        const post = await you.post(forum["id"], "Count", "count the files")
        await emulator.waitFor(() => creations(stack) > 0, { what: "the creation" })
        const stopBy = async (who: Actor) => (await (await who.command(post.id, "task stop")).settled()).content
        assert.match(await stopBy(emulator.user("Sam")), /belongs to/)
        assert.match(await stopBy(you), /^The task is still being started\. It is stopped once it has begun/)
        await stack.shows(post.id, /ended after the stop request/)
        assert.deepEqual(
          service.rounds.map(({ end, text }) => [text, end]),
          [["count the files", { stopReason: "cancelled" }]]
        )
      }
    ))

  it("finds a task that the service lists late", { timeout: 20_000 }, () =>
    withPlainStack({}, async (stack) => {
      stack.service.addFault({ ...creation, when: "before", effect: "reset" })
      await request(stack, "one")
      await stack.emulator.waitFor(
        () =>
          stack.service.requests
            .slice(
              stack.service.requests.findIndex(({ method, path }) => method === "POST" && creation.path.test(path))
            )
            .some(({ method, path, status }) => method === "GET" && path.endsWith("/tasks") && status === 200) &&
          creations(stack) === 1,
        { what: "a look at the list" }
      )
      await createElsewhere(stack, { prompt: "one" })
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      assertOne(stack, "one")
    })
  )

  it(
    "says that nothing is known, and sends once more only after a click, also after a restart",
    { timeout: 40_000 },
    () =>
      withPlainStack({}, async (stack) => {
        stack.service.addFault({ ...creation, when: "before", effect: "reset" })
        await request(stack, "one")
        const answer = await unknownAnswer(stack)
        assert.match(answer.content, /Nothing was sent a second time/)
        assert.strictEqual(creations(stack), 1)
        await stack.stopBot()
        await stack.startBot()
        assert.strictEqual(creations(stack), 1)
        const send = () => stack.you.press(answer.channel_id, answer.id, control(answer, "send"))
        await Promise.all([send(), send()])
        await saysPrivately(stack, stack.you, /decided before\. Nothing was changed/)
        await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
        assert.strictEqual(creations(stack), 2)
        assertOne(stack, "one")
      })
  )

  it("looks again after a click, and sends nothing", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      stack.service.addFault({ ...creation, when: "before", effect: { status: 503 } })
      await request(stack, "one")
      const answer = await unknownAnswer(stack)
      await createElsewhere(stack, { prompt: "one" })
      await stack.stopBot()
      await stack.startBot()
      await stack.you.press(answer.channel_id, answer.id, control(answer, "look"))
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      assert.strictEqual(creations(stack), 2)
      assertOne(stack, "one")
      await stack.emulator.waitFor(
        () =>
          stack.you.ephemerals().some(({ content, id }) => id === answer.id && /Your task is running in/.test(content)),
        { what: "that it runs" }
      )
    })
  )

  it("removes choices that are over when they are used", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      const { emulator, service, you } = stack
      service.addFault({ ...creation, when: "before", effect: "reset" })
      await request(stack, "one")
      const answer = await unknownAnswer(stack)
      // The answer cannot be changed, so its choices stay.
      const remove = emulator.fault({ method: "PATCH", route: /^\/webhooks\//, status: 404 })
      const send = () => you.press(answer.channel_id, answer.id, control(answer, "send"))
      await send()
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      const shown = () => you.ephemerals().find(({ id }) => id === answer.id)!
      assert.notStrictEqual(buttonsOf(shown()).length, 0)
      remove()
      await send()
      await saysPrivately(stack, you, /decided before\. Nothing was changed/)
      await emulator.waitFor(() => buttonsOf(shown()).length === 0, { what: "the answer without choices" })
      assertOne(stack, "one")
    })
  )

  for (const effect of ["reset", { status: 503 }] as const)
    it(
      `takes no equal task that another client created shortly before (${JSON.stringify(effect)})`,
      { timeout: 40_000 },
      () =>
        withPlainStack({}, async (stack) => {
          await createElsewhere(stack, { prompt: "one" })
          stack.service.addFault({ ...creation, when: "before", effect })
          await request(stack, "one")
          const answer = await unknownAnswer(stack)
          assert.strictEqual(stack.emulator.threads().length, 0)
          stack.service.addFault({ ...creation, when: "after", effect })
          await stack.you.press(answer.channel_id, answer.id, control(answer, "send"))
          await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
          assert.lengthOf(stack.service.tasks(), 2)
        })
    )

  for (const effect of ["reset", { status: 503 }] as const)
    for (const other of ["Report\nfor Berlin", "Report"])
      it(
        `offers a task of another client that begins alike, and does not take it (${JSON.stringify([other, effect])})`,
        { timeout: 40_000 },
        () =>
          withPlainStack({}, async (stack) => {
            const { emulator, service, shows, you } = stack
            service.addFault({ ...creation, when: "before", effect })
            await request(stack, "Report\nfor Ada")
            await emulator.waitFor(() => creations(stack) === 1, { what: "the creation" })
            await createElsewhere(stack, { prompt: other })
            const answer = await unknownAnswer(stack)
            assert.strictEqual(emulator.threads().length, 0)
            assert.include(JSON.stringify(answer.components), service.tasks()[0]!.taskId)
            await you.press(answer.channel_id, answer.id, control(answer, "send"))
            await shows(await firstThread(stack), /Echo: Report\s+for Ada[^]*done ·/)
          })
      )

  it("offers the tasks that it may be, and opens the thread of the chosen one", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      // Another client starts the same, and the list cannot be read before the creation is sent.
      await createElsewhere(stack, { prompt: "one" })
      stack.service.addFault({ method: "GET", path: /\/tasks$/, when: "before", effect: { status: 503 } })
      stack.service.addFault({ ...creation, when: "after", effect: "reset" })
      await request(stack, "one")
      const answer = await unknownAnswer(stack)
      assert.strictEqual(stack.emulator.threads().length, 0)
      const list = control(answer, "task")
      const [, own] = stack.service.tasks()
      // The service is away for the look at the chosen task.
      stack.service.addFault({ path: /\/tasks\/[^/]+$/, when: "before", effect: { status: 503 }, times: 4 })
      await stack.you.select(answer.channel_id, answer.id, list, [own!.taskId])
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      assert.strictEqual(creations(stack), 2)
      assert.lengthOf(stack.service.rounds, 2)
    })
  )

  it("asks the policy again before it sends once more, and keeps the choice open", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      const { emulator, service, you } = stack
      service.addFault({ ...creation, when: "before", effect: "reset" })
      await request(stack, "one")
      const answer = await unknownAnswer(stack)
      const send = () => you.press(answer.channel_id, answer.id, control(answer, "send"))
      await setRule(emulator, you, "deny", "start")
      await send()
      await saysPrivately(stack, you, /settings of this server do not let you[^]*Nothing was changed or charged/)
      assert.strictEqual(creations(stack), 1)
      await setRule(emulator, you, "allow", "start")
      await send()
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      assertOne(stack, "one")
    })
  )

  it(
    "takes no earlier task for its own where the service does not tell when tasks were created",
    { timeout: 40_000 },
    () =>
      withPlainStack({ taskFields: ["name"] }, async (stack) => {
        await createElsewhere(stack, { prompt: "one" })
        stack.service.addFault({ ...creation, when: "before", effect: "reset" })
        await request(stack, "one")
        const answer = await unknownAnswer(stack)
        assert.strictEqual(stack.emulator.threads().length, 0)
        const [earlier] = stack.service.tasks()
        assert.notInclude(JSON.stringify(answer.components), earlier!.taskId)
        await stack.you.press(answer.channel_id, answer.id, control(answer, "send"))
        await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
        assert.lengthOf(stack.service.tasks(), 2)
      })
  )

  it("asks which of two tasks with the same words is whose", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      const { emulator, service, you } = stack
      service.addFault({ ...creation, when: "after", effect: "reset", times: 2 })
      await Promise.all([request(stack, "one"), request(stack, "one")])
      const asks = () => you.ephemerals().filter(({ content }) => unknown.test(content))
      const [first, second] = await emulator.waitFor(() => asks().length === 2 && asks(), {
        what: "two answers",
        timeoutMs: 15_000
      })
      assert.strictEqual(emulator.threads().length, 0)
      const [task] = service.tasks()
      await you.select(first!.channel_id, first!.id, control(first!, "task"), [task!.taskId])
      await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
      // Only one task is left, which is that of the other request.
      await you.press(second!.channel_id, second!.id, control(second!, "look"))
      const other = await emulator.waitFor((e) => e.threads()[1]?.id, { what: "the other thread" })
      await stack.shows(other, /Echo: one[^]*done ·/)
      assert.strictEqual(creations(stack), 2)
      assert.lengthOf(service.rounds, 2)
    })
  )

  it("says what the service refused, and keeps no note of it", () =>
    withPlainStack({}, async (stack) => {
      stack.service.addFault({ ...creation, when: "before", effect: { status: 403 } })
      const answer = await (await request(stack, "one")).settled()
      assert.match(answer.content, /The task was not started\./)
      assert.lengthOf(buttonsOf(answer), 0)
    }))

  for (const when of ["after", "before"] as const)
    it(
      `creates nothing twice when the bot stops before the answer (${when} the service acts)`,
      { timeout: 40_000 },
      () =>
        withPlainStack({}, async (stack) => {
          stack.service.addFault({ ...creation, when, effect: "hang" })
          await request(stack, "one")
          await stack.emulator.waitFor(() => creations(stack) === 1, { what: "the creation" })
          await stack.stopBot()
          await stack.startBot()
          if (when === "before") {
            const answer = await unknownAnswer(stack)
            assert.lengthOf(stack.service.tasks(), 0)
            await stack.you.press(answer.channel_id, answer.id, control(answer, "send"))
          }
          await stack.shows(await firstThread(stack), /Echo: one[^]*done ·/)
          assertOne(stack, "one")
        })
    )

  it("asks the author of a message in public, and takes the click of no other person", { timeout: 60_000 }, () =>
    withPlainStack({ emulator: { users: ["Ada", "Sam"] } }, async (stack) => {
      const { emulator, service, you } = stack
      service.addFault({ ...creation, when: "before", effect: "reset", times: 2 })
      const { id } = await you.send(emulator.channelId, `<@${emulator.applicationId}> one`)
      const asks = () => emulator.messages(emulator.channelId).find((message) => unknown.test(message.content))
      const reply = await emulator.waitFor(() => asks(), { what: "a public answer", timeoutMs: 15_000 })
      assert.strictEqual(reply.message_reference?.message_id, id)
      const sam = emulator.user("Sam")
      await sam.press(reply.channel_id, reply.id, control(reply, "send"))
      await saysPrivately(stack, sam, new RegExp(`<@${you.id}>, so only they can choose\\. Nothing was changed`))
      assert.strictEqual(creations(stack), 1)
      // The second creation is lost, too: it is asked again in place.
      await you.press(reply.channel_id, reply.id, control(reply, "send"))
      await emulator.waitFor(() => creations(stack) === 2, { what: "the second creation" })
      await emulator.waitFor(() => unknown.test(asks()?.content ?? "") && buttonsOf(asks() ?? {}).length > 0, {
        what: "the question in place",
        timeoutMs: 15_000
      })
      await you.press(reply.channel_id, reply.id, control(reply, "send"))
      const thread = await firstThread(stack)
      assert.strictEqual(thread, id)
      await stack.shows(thread, /Echo: one[^]*done ·/)
      assert.strictEqual(creations(stack), 3)
      assertOne(stack, "one")
    })
  )
})
