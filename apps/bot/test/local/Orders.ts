/** A table of orders that is the same on every machine: 12,000 rows, a few values missing, a few far out. */
export const orders = (rows = 12_000): string => {
  const random = lcg(20_261_121)
  const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(random() * items.length)]!
  const lines = ["order_id,date,region,product,price,quantity"]
  for (let row = 1; row <= rows; row++) {
    const day = new Date(Date.UTC(2025, 0, 1 + Math.floor(random() * 365))).toISOString().slice(0, 10)
    const region = random() < 0.02 ? "" : pick(["EU", "US", "APAC", "LATAM"])
    const price = random() < 0.003 ? 4000 + random() * 1000 : 5 + random() * 195
    const missing = random() < 0.01
    lines.push(
      `${row},${day},${region},${pick(["loom", "shuttle", "yarn", "heddle"])},${missing ? "" : price.toFixed(2)},${1 + Math.floor(random() * 9)}`
    )
  }
  return `${lines.join("\n")}\n`
}

/** A small seeded generator: the test data must not change from run to run. */
const lcg = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
