import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as IpAddress from "../../internal/IpAddress.ts"
import * as Loopback from "../../internal/Loopback.ts"

/**
 * Whether a request comes from this machine and through nothing. A proxy on this machine forwards from loopback, too:
 * it is known by the headers that it adds, by the name that it was called by, or by HTTP/1.0, which many speak to what
 * is behind them. The name also gives away pages of other sites whose address was turned to this machine.
 */
export const is = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { headers, httpVersion, socket } = NodeHttpServerRequest.toIncomingMessage(request)
  const address = IpAddress.parse(socket.remoteAddress ?? "")
  const host = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(headers.host ?? "")?.[1]?.toLowerCase()
  return (
    address !== undefined &&
    Loopback.isLoopback(address) &&
    host !== undefined &&
    Loopback.isLoopback(host) &&
    httpVersion !== "1.0" &&
    !Object.keys(headers).some((name) => proxied.test(name))
  )
}

const proxied =
  /^(forwarded|via|x-forwarded.*|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|x-envoy-.*|true-client-ip|cf-.*|cdn-loop|fastly-.*)$/
