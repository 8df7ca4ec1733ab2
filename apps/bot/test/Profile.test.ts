import { assert, describe, it } from "@effect/vitest"
import { withRealStack } from "./support/RealStack.ts"

describe("the connected account", () => {
  it(
    "shows its profile, and says only whether a phone number matches",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, emulator, logged, you } = stack
          await stack.allow("verify-phone")
          const profile = await ask("profile")
          assert.strictEqual(profile.embeds[0]?.title, "Your account")
          assert.match(profile.embeds[0]?.description ?? "", /Nickname: \*\*demo\*\*|no nickname/)

          const say = async (phone: string) => {
            const form = await you.command(emulator.channelId, "verify-phone")
            return (await (await you.submit(form, { phone })).settled()).content
          }
          assert.match(await say("+86 138-1234-5678"), /^✅ This is the phone number/)
          assert.match(await say("13912345678"), /^❌ This is not the phone number/)
          assert.match(await say("62345678"), /did not accept this: [^.]+\. Change what you typed and try again/)
          const everything = JSON.stringify(you.ephemerals()) + logged.join("\n")
          for (const digits of ["1234-5678", "13812345678", "13912345678", "62345678"]) {
            assert.notInclude(everything, digits)
          }
        },
        { account: { phone: "+8613812345678" } }
      ),
    60_000
  )
})
