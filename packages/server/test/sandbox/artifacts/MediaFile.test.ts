import { assert, describe, it } from "@effect/vitest"
import * as MediaFile from "@heddle/server/sandbox/artifacts/MediaFile"
import * as OwnFile from "@heddle/server/sandbox/artifacts/OwnFile"
import { videoSize } from "@heddle/server/sandbox/artifacts/VideoSize"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { temporary } from "../support/service.ts"

const root = Path.join(temporary(), "artifacts")
Fs.mkdirSync(root)

const describeFile = async (name: string, content: Buffer | string, hash = true) => {
  Fs.writeFileSync(Path.join(root, name), content)
  const opened = await OwnFile.open(Path.dirname(root), root, name)
  if (opened === undefined) throw new Error(`${name} cannot be opened`)
  try {
    const signal = new AbortController().signal
    return (await MediaFile.describe(opened, name, { hash, signal })).file
  } finally {
    await opened.file.close()
  }
}
const typeOf = async (name: string, content: Buffer | string) => {
  const { contentType, height, mimeType, width } = await describeFile(name, content)
  return [mimeType, contentType, ...(width === undefined ? [] : [width, height])]
}

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number> | Buffer>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))))
const u32 = (value: number) => {
  const four = Buffer.alloc(4)
  four.writeUInt32BE(value)
  return four
}

/** A box of ISO/IEC 14496-12. */
const box = (type: string, ...content: ReadonlyArray<Buffer>) => {
  const body = Buffer.concat(content)
  return bytes(u32(body.length + 8), type, body)
}
const trackHeader = (width: number, height: number, turned = false) => {
  const one = u32(0x10000)
  const zero = u32(0)
  const matrix = turned
    ? [zero, one, zero, u32(0xffff0000), zero, zero, zero, zero, u32(0x40000000)]
    : [one, zero, zero, zero, one, zero, zero, zero, u32(0x40000000)]
  return box("tkhd", Buffer.alloc(40), ...matrix, u32(width * 0x10000), u32(height * 0x10000))
}
const mp4 = (...tracks: ReadonlyArray<Buffer>) =>
  bytes(
    box("ftyp", bytes("isom", u32(512), "isomiso2mp41")),
    box("mdat", Buffer.alloc(300_000)),
    box("moov", box("mvhd", Buffer.alloc(100)), ...tracks.map((track) => box("trak", track)))
  )

/** An element of Matroska with a one-byte or, for lengths that are not known, an all-ones size. */
const element = (id: ReadonlyArray<number>, content: Buffer, open = false) =>
  bytes(
    id,
    open ? [0x01, 255, 255, 255, 255, 255, 255, 255] : [0x40 | (content.length >> 8), content.length & 255],
    content
  )
const webm = (open: boolean) =>
  bytes(
    element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from("webm"))),
    element(
      [0x18, 0x53, 0x80, 0x67],
      bytes(
        element([0xec], Buffer.alloc(200)),
        element(
          [0x16, 0x54, 0xae, 0x6b],
          bytes(
            element([0xae], element([0xd7], Buffer.from([1]))),
            element(
              [0xae],
              element(
                [0xe0],
                bytes(element([0xb0], Buffer.from([0x07, 0x80])), element([0xba], Buffer.from([0x04, 0x38])))
              )
            )
          )
        ),
        element([0x1f, 0x43, 0xb6, 0x75], Buffer.alloc(10), true)
      ),
      open
    )
  )

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEklEQVR4nGP8z8DAwMDAxAADAA8QAQWzO7qXAAAAAElFTkSuQmCC",
  "base64"
)
const gif = bytes("GIF89a", [5, 0, 4, 0, 0, 0, 0, 0x3b])
/** A JPEG's head: three by two in the file, and lying on its side as its Exif says. */
const turnedJpeg = bytes(
  [0xff, 0xd8, 0xff, 0xe1, 0, 34],
  "Exif\0\0MM\0*",
  u32(8),
  [0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0],
  [0xff, 0xc0, 0, 17, 8, 0, 2, 0, 3, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xd9]
)

describe("MediaFile", () => {
  it("detects the type from the content, and from the name only where content is not enough", async () => {
    const cases: ReadonlyArray<readonly [string, Buffer | string, ReadonlyArray<unknown>]> = [
      ["a.png", png, ["image/png", "image", 3, 2]],
      ["picture.txt", png, ["image/png", "image", 3, 2]],
      ["page.html", gif, ["image/gif", "image", 5, 4]],
      ["turned.jpg", turnedJpeg, ["image/jpeg", "image", 2, 3]],
      ["no.png", "this is text", ["text/plain", "document"]],
      ["code.ts", "export const a = 1\n", ["text/plain", "document"]],
      ["no.mp3", Buffer.from([0, 1, 2, 3]), ["application/octet-stream", "other"]],
      ["binary.txt", Buffer.from([65, 0, 66]), ["application/octet-stream", "other"]],
      ["latin.csv", Buffer.from("a;b\nä;ö\n", "latin1"), ["text/csv", "document"]],
      ["table.csv", "a,b\n1,2\n", ["text/csv", "document"]],
      ["notes.md", "# Notes", ["text/markdown", "document"]],
      ["data.json", "{}", ["application/json", "document"]],
      ["page.html", "<p>hello", ["text/html", "document"]],
      ["empty", "", ["text/plain", "document"]],
      ["drawing.svg", '<svg width="20" height="10" xmlns="x"/>', ["image/svg+xml", "image", 20, 10]],
      ["harmless.txt", '<?xml version="1.0"?>\n<!-- a --><svg onload="x"/>', ["image/svg+xml", "image"]],
      [
        "old.svg",
        '<!DOCTYPE svg PUBLIC "x" [ <!ENTITY a "b"> ]>\n<svg viewBox="0 0 4 2"/>',
        ["image/svg+xml", "image", 4, 2]
      ],
      ["no.svg", "no drawing", ["text/plain", "document"]],
      ["paper.pdf", "%PDF-1.7\n%âãÏÓ\n", ["application/pdf", "document"]],
      ["comic.cbz", bytes("PK\u0005\u0006", Buffer.alloc(18)), ["application/x-cbr", "other"]],
      ["film.mp4", mp4(trackHeader(0, 0), trackHeader(1280, 720)), ["video/mp4", "video", 1280, 720]],
      ["upright.mp4", mp4(trackHeader(1280, 720, true)), ["video/mp4", "video", 720, 1280]],
      ["film.webm", webm(false), ["video/webm", "video", 1920, 1080]],
      ["live.webm", webm(true), ["video/webm", "video", 1920, 1080]]
    ]
    for (const [name, content, expected] of cases) assert.deepStrictEqual(await typeOf(name, content), expected, name)
  })

  it("does not hash files that it must not read", async () => {
    const file = await describeFile("unread.bin", Buffer.alloc(3_000_000, 1), false)
    assert.strictEqual(file.md5, undefined)
    assert.strictEqual(file.size, 3_000_000)
  })

  it("handles any bytes: damaged headers cause no error and no delay", { timeout: 600_000 }, async () => {
    const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 100)
    const heads = [
      png,
      gif,
      turnedJpeg,
      mp4(trackHeader(1280, 720)).subarray(-400),
      webm(true),
      Buffer.from("<svg <svg ")
    ]
    const magics = [
      "RIFF\0\0\0\0WEBPVP8X",
      "\0\0\0\u000cjP  \r\n\u0087\n",
      "\0\0\0\u0018ftypheic",
      "icns",
      "II*\0",
      "PK\u0003\u0004",
      "OggS",
      "\xff\x0a",
      "8BPS",
      "DDS "
    ]
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      const start =
        round % 3 === 0 ? Buffer.from(magics[random(magics.length)]!, "latin1") : heads[random(heads.length)]!
      const content = Buffer.concat([start, Buffer.alloc(random(4) === 0 ? 200_000 : 500, random(256))])
      for (let damage = random(12); damage > 0; damage--) content[random(Math.min(content.length, 200))] = random(256)
      const began = performance.now()
      const { size } = await describeFile("damaged", content)
      slowest = Math.max(slowest, performance.now() - began)
      assert.strictEqual(size, content.length)
    }
    assert.isBelow(slowest, 3000)
    console.log(`${rounds} damaged files, the slowest in ${Math.round(slowest)} ms`)
    // Boxes in boxes, as many as fit.
    const nested = Buffer.concat(Array.from({ length: 30_000 }, () => bytes(u32(0), "moov")))
    assert.strictEqual(
      await videoSize(async (at, length) => nested.subarray(at, at + length), nested.length, "video/mp4"),
      undefined
    )
  })
})
