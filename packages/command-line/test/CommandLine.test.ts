import * as Options from "@effect/cli/Options"
import { assert, describe, it } from "@effect/vitest"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const options = Options.all({
  baseUrl: Setting.text("base-url"),
  codes: Setting.texts("code"),
  strict: Setting.flag("strict")
})

const read = (args: string, env: Readonly<Record<string, string | undefined>> = {}) =>
  Effect.runSync(CommandLine.read(options, args === "" ? [] : args.split(" "), env))

const fails = (args: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.runSync(Effect.flip(CommandLine.read(options, args === "" ? [] : args.split(" "), env))).message

const values = (args: string, env: Readonly<Record<string, string | undefined>> = {}) => {
  const line = read(args, env)
  assert(line._tag === "Values")
  return line
}

describe("the command line", () => {
  it("gives flags in any order, repeated values and operands", () => {
    assert.deepStrictEqual(values("here --code a --strict --base-url=http://x?a=b --code -1 there"), {
      _tag: "Values",
      options: { baseUrl: "http://x?a=b", codes: ["a", "-1"], strict: true },
      operands: ["here", "there"]
    })
  })

  it("takes a variable where its flag is absent", () => {
    const env = { HEDDLE_BASE_URL: "variable", HEDDLE_CODE: "a,,b", HEDDLE_STRICT: "1" }
    assert.deepStrictEqual(values("", env).options, { baseUrl: "variable", codes: ["a", "b"], strict: true })
    assert.deepStrictEqual(values("--base-url flag --code c", env).options, {
      baseUrl: "flag",
      codes: ["c"],
      strict: true
    })
    assert.isFalse(values("", { HEDDLE_STRICT: "false" }).options.strict)
  })

  it("treats an empty variable as absent", () => {
    const env = { HEDDLE_BASE_URL: " ", HEDDLE_CODE: "", HEDDLE_STRICT: "" }
    assert.deepStrictEqual(values("", env).options, { baseUrl: undefined, codes: [], strict: false })
    assert.deepStrictEqual(values("", { HEDDLE_BASE_URL: undefined }).options.codes, [])
  })

  it("finds --help and --version anywhere", () => {
    assert.deepStrictEqual(read("here --help"), { _tag: "Help" })
    assert.deepStrictEqual(read("--code a -h"), { _tag: "Help" })
    assert.deepStrictEqual(read("--version"), { _tag: "Version" })
  })

  it("takes everything after -- as operands", () => {
    assert.deepStrictEqual(values("-- --base-url").operands, ["--base-url"])
  })

  it("names the flag that is unknown, lacks its value or is given twice", () => {
    assert.strictEqual(fails("--colour red"), "Unknown option '--colour'")
    assert.strictEqual(fails("here -x"), "Unknown option '-x'")
    assert.strictEqual(fails("--wizard"), "Unknown option '--wizard'")
    assert.strictEqual(fails("--base-url"), "--base-url lacks its value")
    assert.strictEqual(fails("--base-url a --base-url=b"), "--base-url is given more than once")
    assert.strictEqual(fails("", { HEDDLE_STRICT: "perhaps" }), "HEDDLE_STRICT: give true or false")
  })

  it("leaves settings without a value out of an object", () => {
    const settings = { name: Option.some("ada"), credits: Option.none<number>() }
    assert.deepStrictEqual(Setting.definedOnly(settings), { name: "ada" })
  })
})
