import * as Metric from "effect/Metric"

/** JSON-RPC messages received over all channels. */
export const messagesReceived = Metric.counter("heddle_acp_messages_received_total", {
  description: "JSON-RPC messages received from agents",
  incremental: true
})

/** JSON-RPC messages sent, whether or not they arrived. */
export const messagesSent = Metric.counter("heddle_acp_messages_sent_total", {
  description: "JSON-RPC messages sent to agents",
  incremental: true
})

/** Bytes of bodies and lines received, before anything is parsed. */
export const bytesReceived = Metric.counter("heddle_acp_received_bytes_total", {
  description: "Bytes received from agents",
  incremental: true
})

/** Pieces of input left out: too large, or not JSON-RPC. */
export const skipped = Metric.counter("heddle_acp_skipped_total", {
  description: "Pieces of input left out because they are too large or not JSON-RPC",
  incremental: true
})

/** Channels that broke and were opened again, or tried to be. */
export const interruptions = Metric.counter("heddle_acp_interruptions_total", {
  description: "Times that a channel broke and was to be opened again",
  incremental: true
})

/** Channels that are usable now. */
export const openChannels = Metric.gauge("heddle_acp_open_channels", {
  description: "Channels to agents that are open"
})
