/** A size in bytes as text: 12 B, 3.4 KB, 10 MB. */
export const formatBytes = (size: number): string => {
  if (size < 1000) return `${size} B`
  if (size < 999_500) return `${(size / 1000).toFixed(size < 9950 ? 1 : 0)} KB`
  return `${(size / 1_000_000).toFixed(size < 9_950_000 ? 1 : 0)} MB`
}

/** The duration texts of a language. */
export interface TimeWords {
  readonly seconds: (count: string) => string
  readonly minutes: (count: number) => string
}

/** A duration as text: 0.8 s, 12 s, 3 min 20 s. */
export const formatDuration = (durationMs: number, words: TimeWords): string => {
  const seconds = durationMs / 1000
  if (seconds < 9.95) return words.seconds(seconds.toFixed(1))
  if (seconds < 60) return words.seconds(String(Math.round(seconds)))
  const minutes = Math.floor(Math.round(seconds) / 60)
  const remainingSeconds = Math.round(seconds) % 60
  return remainingSeconds === 0
    ? words.minutes(minutes)
    : `${words.minutes(minutes)} ${words.seconds(String(remainingSeconds))}`
}
