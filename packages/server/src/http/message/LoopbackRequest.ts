import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as IpAddress from "../../internal/IpAddress.ts"
import * as Loopback from "../../internal/Loopback.ts"

/**
 * Whether a request comes from this machine without a proxy. A proxy on this machine forwards from loopback, too. Its
 * added headers, another host name or HTTP/1.0 reveal it. The check of the host name also refuses pages of other sites
 * that use DNS rebinding.
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
    !Object.keys(headers).some((name) => proxyHeader.test(name))
  )
}

const proxyHeader =
  /^(forwarded|via|x-forwarded.*|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|x-envoy-.*|true-client-ip|cf-.*|cdn-loop|fastly-.*)$/
