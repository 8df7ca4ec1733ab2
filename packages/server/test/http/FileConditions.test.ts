import { assert, describe, it } from "@effect/vitest"
import { decide, disposition } from "@heddle/server/http/message/FileConditions"

const modified = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
const file = { etag: '"abc"', modifiedAt: modified, size: 10 }
const date = modified.toUTCString()
const earlier = new Date(modified.getTime() - 2000).toUTCString()

describe("FileConditions", () => {
  it("evaluates preconditions as in RFC 9110", () => {
    const part = (start: number, end: number) => ({ status: 206, range: { start, end } })
    const cases: ReadonlyArray<readonly [Record<string, string>, object]> = [
      [{}, { status: 200 }],
      [{ range: "bytes=0-0" }, part(0, 0)],
      [{ range: "bytes=2-4" }, part(2, 4)],
      [{ range: "Bytes=7-" }, part(7, 9)],
      [{ range: "bytes=-3" }, part(7, 9)],
      [{ range: "bytes=-99" }, part(0, 9)],
      [{ range: "bytes=5-99999999999999999999" }, part(5, 9)],
      [{ range: "bytes=10-" }, { status: 416 }],
      [{ range: "bytes=-0" }, { status: 416 }],
      [{ range: "bytes=99999999999999999999-" }, { status: 416 }],
      [{ range: "bytes=4-2" }, { status: 200 }],
      [{ range: "bytes=-" }, { status: 200 }],
      [{ range: "bytes=0-1,3-4" }, { status: 200 }],
      [{ range: "bytes=a-b" }, { status: 200 }],
      [{ range: "lines=1-2" }, { status: 200 }],
      [{ range: "bytes=0-1", "if-range": '"abc"' }, part(0, 1)],
      [{ range: "bytes=0-1", "if-range": 'W/"abc"' }, { status: 200 }],
      [{ range: "bytes=0-1", "if-range": '"old"' }, { status: 200 }],
      [{ range: "bytes=0-1", "if-range": date }, { status: 200 }],
      [{ "if-none-match": '"abc"' }, { status: 304 }],
      [{ "if-none-match": '"x", W/"abc"' }, { status: 304 }],
      [{ "if-none-match": "*" }, { status: 304 }],
      [{ "if-none-match": '"abcd"' }, { status: 200 }],
      [{ "if-none-match": '"x"', "if-modified-since": date }, { status: 200 }],
      [{ "if-modified-since": date }, { status: 304 }],
      [{ "if-modified-since": earlier }, { status: 200 }],
      [{ "if-modified-since": "some day" }, { status: 200 }],
      [{ "if-none-match": '"abc"', range: "bytes=0-1" }, { status: 304 }],
      [{ "if-match": '"abc"' }, { status: 200 }],
      [{ "if-match": "*" }, { status: 200 }],
      [{ "if-match": 'W/"abc"' }, { status: 412 }],
      [{ "if-match": '"old"', range: "bytes=0-1" }, { status: 412 }],
      [{ "if-unmodified-since": date }, { status: 200 }],
      [{ "if-unmodified-since": earlier }, { status: 412 }]
    ]
    for (const [headers, expected] of cases) {
      assert.deepStrictEqual(decide({ method: "GET", headers }, file), expected as never, JSON.stringify(headers))
    }
    assert.deepStrictEqual(decide({ method: "HEAD", headers: { range: "bytes=0-1" } }, file), { status: 200 })
    assert.deepStrictEqual(decide({ method: "GET", headers: { range: "bytes=0-" } }, { ...file, size: 0 }), {
      status: 416
    })
  })

  it("names files for old and new clients, and escapes quotation marks", () => {
    assert.strictEqual(disposition("inline", "a b.txt"), `inline; filename="a b.txt"; filename*=UTF-8''a%20b.txt`)
    assert.strictEqual(
      disposition("attachment", `übel"; x=('y')*\\%.html`),
      `attachment; filename="_bel_; x=('y')*__.html"; filename*=UTF-8''%C3%BCbel%22%3B%20x%3D%28%27y%27%29%2A%5C%25.html`
    )
    assert.strictEqual(disposition("inline", "😀.png"), `inline; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`)
  })
})
