/** Shows Discord's timestamps, `<t:SECONDS:STYLE>`, as a person reads them there; `now` is in epoch milliseconds. */
export const readable = (text: string, now: number): string =>
  text.replace(/<t:(\d{1,12})(?::([tTdDfFR]))?>/g, (_, seconds: string, style = "f") => {
    const millis = Number(seconds) * 1000
    return style === "R"
      ? relative(millis - now)
      : new Date(millis).toLocaleString("en-GB", formats[style] ?? formats.f)
  })

const formats: { readonly [style: string]: Intl.DateTimeFormatOptions; readonly f: Intl.DateTimeFormatOptions } = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" }
}

const relative = (millis: number): string => {
  const [unit, length] = units.find(([, length]) => Math.abs(millis) >= length) ?? (["second", 1000] as const)
  return new Intl.RelativeTimeFormat("en").format(Math.round(millis / length), unit)
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const
