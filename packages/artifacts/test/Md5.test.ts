import { assert, describe, it } from "@effect/vitest"
import * as Md5 from "../src/internal/Md5.ts"

const digest = (runtime: Md5.Runtime, pieces: ReadonlyArray<string>) => {
  const md5 = Md5.make(runtime)
  for (const piece of pieces) md5.update(Buffer.from(piece))
  return md5.digest()
}

describe("Md5", () => {
  const forbidding: Md5.Runtime = {
    process: {
      getBuiltinModule: () => ({
        createHash: () => {
          throw new Error("not in this mode")
        }
      })
    }
  }

  it.each([
    ["Node's own", globalThis],
    ["JavaScript, where there is no Node", {}],
    ["JavaScript, where Node's is forbidden", forbidding]
  ])("is the md5 of RFC 1321: %s", (_, runtime) => {
    assert.strictEqual(digest(runtime, []), "d41d8cd98f00b204e9800998ecf8427e")
    assert.strictEqual(digest(runtime, ["message ", "", "digest"]), "f96b697d7cb7938d525a2f31aaf161d0")
  })
})
