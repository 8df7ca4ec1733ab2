/** A seeded table of orders with missing prices, dates without value and prices far from the rest. */
export const ordersCsv = (
  rows: number,
  options: { readonly seed?: number; readonly columns?: number } = {}
): string => {
  let state = options.seed ?? 42
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
  const pick = (items: ReadonlyArray<string>): string => items[Math.floor(next() * items.length)] ?? ""
  const extra = Array.from({ length: (options.columns ?? 6) - 6 }, (_, i) => `extra_${i + 1}`)
  const lines = [["order_id", "date", "region", "product", "unit_price", "quantity", ...extra].join(",")]
  for (let id = 1; id <= rows; id++) {
    const day = new Date(Date.UTC(2024, 0, 1) + Math.floor(next() * 366) * 86_400_000).toISOString().slice(0, 10)
    const usual = (10 + next() * 80).toFixed(2)
    const price = next() < 0.02 ? "" : next() < 0.004 ? "9999.00" : usual
    lines.push(
      [
        id,
        next() < 0.01 ? "" : day,
        pick(["EU", "US", "APAC", "LATAM"]),
        pick(["Chair", "Desk", "Lamp", "Shelf"]),
        price,
        1 + Math.floor(next() * 9),
        ...extra.map(() => Math.floor(next() * 1000))
      ].join(",")
    )
  }
  return `${lines.join("\n")}\n`
}
