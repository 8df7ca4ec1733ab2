import { assert, describe, it } from "@effect/vitest"
import * as PrivateNetwork from "@heddle/bot/turn/session/files/PrivateNetwork"
import * as Effect from "effect/Effect"

// A service on the internet, and one in the network of the bot.
const [elsewhere, here] = ["93.184.215.14", "192.168.1.2"]

describe("the servers that files of agents name", () => {
  it.live("are not asked in the bot's own network, by name or address, at the address of a service elsewhere", () =>
    Effect.gen(function* () {
      for (const file of [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "172.31.255.255",
        "192.168.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
        "[fe80::1]"
      ]) {
        assert.isFalse(yield* PrivateNetwork.mayAsk({ file, sandbox: elsewhere }), file)
        assert.isTrue(yield* PrivateNetwork.mayAsk({ file, sandbox: here }), file)
      }
    })
  )

  it.live("are asked at public addresses", () =>
    Effect.gen(function* () {
      for (const file of ["93.184.215.14", "172.32.0.1", "100.128.0.1", "[2606:2800:21f::1]", "[::ffff:93.184.215.14]"])
        assert.isTrue(yield* PrivateNetwork.mayAsk({ file, sandbox: elsewhere }), file)
    })
  )
})
