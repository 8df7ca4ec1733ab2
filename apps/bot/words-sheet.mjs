import sharp from "sharp"
import { readdirSync } from "node:fs"
const [out, dir, mode, ...names] = process.argv.slice(2)
// mode "wide": en-dark | zh-light per row ; mode "stack"
const rows = []
for (const n of names) {
  const pair = [`${dir}/${n}-en-dark.png`, `${dir}/${n}-zh-light.png`].filter((p) => {
    try {
      return readdirSync(dir).includes(p.split("/").at(-1))
    } catch {
      return false
    }
  })
  if (pair.length) rows.push(pair)
}
const W = Number(process.env.W ?? 900)
const done = []
let y = 0,
  max = 0
for (const pair of rows) {
  let x = 0,
    h = 0
  for (const p of pair) {
    const { data, info } = await sharp(p)
      .resize({ width: W, withoutEnlargement: true })
      .png()
      .toBuffer({ resolveWithObject: true })
    done.push({ input: data, left: x, top: y })
    x += W + 6
    h = Math.max(h, info.height)
  }
  max = Math.max(max, x)
  y += h + 6
}
await sharp({ create: { width: max, height: y, channels: 3, background: "#c0c" } })
  .composite(done)
  .png()
  .toFile(out)
console.log(out, max, y)
