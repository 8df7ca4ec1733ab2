import * as Metric from "effect/Metric"

const counter = (name: string, description: string): Metric.Metric.Counter<number> =>
  Metric.counter(`heddle_acp_${name}_total`, { description, incremental: true })

/** JSON-RPC messages received over all channels. */
export const messagesReceived = counter("messages_received", "JSON-RPC messages received from agents")

/** JSON-RPC messages sent, whether or not they arrived. */
export const messagesSent = counter("messages_sent", "JSON-RPC messages sent to agents")

/** Bytes of bodies and lines received, before anything is parsed. */
export const bytesReceived = counter("received_bytes", "Bytes received from agents")

/** Pieces of input left out: too large, or not JSON-RPC. */
export const skipped = counter("skipped", "Pieces of input left out because they are too large or not JSON-RPC")

/** Channels that broke and were opened again, or tried to be. */
export const interruptions = counter("interruptions", "Times that a channel broke and was to be opened again")

/** Channels that are usable now. */
export const openChannels = Metric.gauge("heddle_acp_open_channels", {
  description: "Channels to agents that are open"
})
