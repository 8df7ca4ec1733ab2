import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as RedemptionOutcome from "@heddle/bot/account/RedemptionOutcome"
import { isFinal } from "@heddle/bot/model/RedemptionOutcome"
import { english } from "@heddle/bot/messages/Translations"
import { RefusedAfterLostAnswer } from "@heddle/core/Redemptions"
import * as Redacted from "effect/Redacted"
import { withRealStack } from "../support/RealStack.ts"
import { buttonsOf, press } from "../support/Stack.ts"

type Stack = Parameters<Parameters<typeof withRealStack>[0]>[0]

const flow = /Reference: `([^`]+)`/

const newCode = async ({ run, server }: Stack, credits = 50) => {
  const [code] = await run(server.redemptionCodes.create({ credits }))
  return Redacted.value(code!)
}

const creditsOf = async ({ ask }: Stack) => (await ask("credit")).embeds[0]?.description ?? ""

const posts = ({ proxy }: Stack) =>
  proxy.state.seen.filter(({ method, path }) => method === "POST" && path.endsWith("/redemptions"))

/** Whether anything in a folder holds a text as it is. */
const holds = (folder: string, text: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text)
  )

describe.concurrent("/redeem", () => {
  it(
    "redeems once on double clicks, reports refusals as final, and shows codes nowhere",
    () =>
      withRealStack(async (stack) => {
        const { emulator, folder, logged, run, server, you } = stack
        await stack.allow("redeem code")
        const code = await newCode(stack)
        const form = await you.command(emulator.channelId, "redeem code")
        assert.strictEqual(form.type, "modal")
        const twice = await Promise.all([you.submit(form, { code }), you.submit(form, { code: ` ${code} ` })])
        await stack.waitForPrivateText(flow)
        const third = await (await you.submit(form, { code })).settled()
        const answers = await emulator.waitFor(
          () => {
            const said = you.ephemerals().filter(({ content }) => flow.test(content))
            return said.length === twice.length + 1 ? said : undefined
          },
          { what: "all answers" }
        )
        assert.include(
          answers.map(({ content }) => content),
          third.content
        )
        assert.lengthOf(new Set(answers.map(({ content }) => flow.exec(content)![1])), 1, "the same flow number")
        assert.lengthOf(posts(stack), 1)
        assert.strictEqual(JSON.parse(posts(stack)[0]!.body).request_id, twice[0].id)
        assert.match(await creditsOf(stack), /\*\*1,050\*\* left/)

        await you.submit(await you.command(emulator.channelId, "redeem code"), { code })
        await stack.waitForPrivateText(/Nothing was redeemed, and entering it again does not help/)
        const refusal = you.ephemerals().find(({ content }) => /entering it again/.test(content))!
        assert.isEmpty(buttonsOf(refusal), "no button to try again")

        const [voucher] = await run(server.redemptionCodes.createVouchers({ credits: 7 }))
        await you.submit(await you.command(emulator.channelId, "redeem voucher"), {
          giftKey: Redacted.value(voucher!.giftKey),
          giftCode: Redacted.value(voucher!.giftCode)
        })
        await stack.waitForPrivateText(/\*\*7 credits\*\* were added/)
        assert.match(await creditsOf(stack), /\*\*1,057\*\* left/)

        for (const secret of [code, Redacted.value(voucher!.giftCode)]) {
          assert.notInclude(JSON.stringify(you.ephemerals()), secret)
          assert.notInclude(logged.join("\n"), secret)
          assert.isFalse(holds(join(folder, "bot"), secret), "stored as it is")
        }
      }),
    60_000
  )

  it(
    "reports a lost response as unknown, repeats it with the same id, and shows the outcome in the answer or by message",
    () =>
      withRealStack(async (stack) => {
        const { emulator, proxy, startBot, stopBot, you } = stack
        await stack.allow("redeem code")
        const code = await newCode(stack)
        proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "lose" : "pass")
        const form = await you.command(emulator.channelId, "redeem code")
        const sent = await you.submit(form, { code })
        await stack.waitForPrivateText(/It is not known yet whether this was redeemed/)
        const again = await (await you.submit(await you.command(emulator.channelId, "redeem code"), { code })).settled()
        assert.match(again.content, /not known yet/, "the same code while it is unknown is the same redemption")
        await stopBot()
        assert.match(proxy.state.lost[0] ?? "", /flow_no/, "it was redeemed, and the answer was lost")
        proxy.state.fate = () => "pass"
        await startBot()
        await stack.waitForPrivateText(flow)
        const first = you.ephemerals().find(({ content }) => flow.test(content))!
        assert.strictEqual(first.id, (await sent.settled()).id, "in the answer of the form")
        assert.include(proxy.state.lost[0], flow.exec(first.content)![1])
        assert.lengthOf(new Set(posts(stack).map(({ body }) => JSON.parse(body).request_id)), 1)
        assert.match(await creditsOf(stack), /\*\*1,050\*\* left/)

        proxy.state.lost.splice(0)
        const direct: Array<string> = []
        emulator.on((event) => {
          if (event.type !== "message_create" || event.channelId === emulator.channelId) return
          direct.push(event.message.content)
        })
        for (const closed of [false, true]) {
          const unknown = () => you.ephemerals().filter(({ content }) => /not known yet/.test(content)).length
          const before = unknown()
          proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "lose" : "pass")
          await you.submit(await you.command(emulator.channelId, "redeem code"), { code: await newCode(stack) })
          await emulator.waitFor(() => unknown() > before, { what: "an unknown outcome", timeoutMs: 20_000 })
          const flowNo = /"flow_no":"([^"]+)"/.exec(proxy.state.lost.splice(0)[0] ?? "")?.[1] ?? "?"
          emulator.fault({ route: /^\/webhooks\/.*original$/, method: "PATCH", status: 404, times: 1 })
          const shut = new Promise<void>((resolve) => {
            if (!closed) return resolve()
            emulator.fault({ route: /^\/users\/@me\/channels$/, method: "POST", status: 403, times: 1 })
            const look = setInterval(() => {
              if (!stack.logged.some((line) => /takes no direct message/.test(line))) return
              clearInterval(look)
              resolve()
            }, 50)
          })
          proxy.state.fate = () => "pass"
          await shut
          if (closed) {
            await stack.ask("help")
            await stack.waitForPrivateText(new RegExp(flowNo))
            assert.notInclude(direct.join("\n"), flowNo)
          } else {
            await emulator.waitFor(() => direct.some((words) => words.includes(flowNo)), {
              what: "a direct message",
              timeoutMs: 20_000
            })
          }
        }
      }),
    60_000
  )

  it("asks to connect when the account was disconnected meanwhile, and continues after the connection", () => {
    let slow = 0
    return withRealStack(
      async (stack) => {
        const { ask, emulator, link, proxy, you } = stack
        await stack.allow("redeem code")
        const code = await newCode(stack)
        proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "lose" : "pass")
        await you.submit(await you.command(emulator.channelId, "redeem code"), { code })
        await stack.waitForPrivateText(/It is not known yet whether this was redeemed/)
        const question = await ask("disconnect")
        await press(you, question, "c4:disconnect")
        proxy.state.fate = () => "pass"
        await stack.waitForPrivateText(/I cannot check, because your account is not connected/)
        await link(await ask("connect"))
        await stack.waitForPrivateText(/the service only tells when you let this bot redeem codes/)
        const card = you.ephemerals().find(({ content }) => /only tells when/.test(content))!
        const more = await you.press(emulator.channelId, card.id, buttonsOf(card)[0]!.custom_id)
        await ask("assistant status")
        slow = 300
        await link(await more.settled())
        await stack.waitForPrivateText(flow)
        assert.match(await creditsOf(stack), /\*\*1,050\*\* left/)
        assert.match(you.ephemerals().find(({ id }) => id === card.id)!.content, flow, "the last words")
      },
      { slow: (path) => (path.startsWith("/webhooks") ? slow : 0) }
    )
  }, 60_000)
})

describe("a refusal after a lost response", () => {
  it("does not claim that nothing was redeemed", () => {
    const refused = { idempotencyKey: "k-1", status: 400, code: "invalid_grant", description: "used" }
    const outcome = RedemptionOutcome.fromError(new RefusedAfterLostAnswer(refused), false, english)
    assert.isTrue(isFinal(outcome))
    const words = RedemptionOutcome.body(outcome, english).content
    assert.match(words, /An earlier try may have redeemed it/)
    assert.notMatch(words, /Nothing was redeemed/)
  })
})
