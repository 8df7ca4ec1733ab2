/**
 * Runs the server's command in this process, so that its CPU time is this process's; `ready` gets the URL of its ready
 * line. The rate limits are so high that only their checks are left.
 */
export const serveHere = async (data: string, ready: (url: string) => void): Promise<void> => {
  const limits = ["address", "application", "user"].flatMap((name) => ["--rate-limit", `${name}=99999999/1`])
  process.argv.splice(2, Infinity, "serve", "--data", data, "--port", "0", ...limits)
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (line: string | Uint8Array) => {
    process.stdout.write = write
    ready(JSON.parse(String(line)).url)
    return true
  }
  await import("@heddle/server/main")
}
