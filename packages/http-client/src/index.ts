/**
 * A strict HTTP/1.1 client with bounded queues, for calls whose replies are relayed or read by programs.
 *
 * @module
 */

// Sending requests
export { createHttpUpstream, type HttpUpstream, type HttpUpstreamOptions } from './client.ts'
// Failures
export { toUpstreamFailure, type UpstreamFailure, upstreamFailed } from './errors.ts'
// Authorities
export { createTrust, readTrustStore, type TrustStoreOptions } from './trust-store.ts'
export type {
  BodyPiece,
  Header,
  PushUpstream,
  StopSignal,
  Upstream,
  UpstreamCall,
  UpstreamHead,
  UpstreamReply,
  UpstreamRequest,
  UpstreamSink,
} from './upstream.ts'
// Proxies on the way out
export { ForwardAgent, type ForwardAgentOptions } from './way-out/forward-agent.ts'
export { type ForwardProxy, readForwardProxy } from './way-out/forward-proxy.ts'
export { isNoProxyList } from './way-out/no-proxy.ts'
export { pinAddresses } from './way-out/own-names.ts'
export { openTunnel, type TunnelOptions } from './way-out/tunnel.ts'
export { TunnelAgent, type TunnelAgentOptions } from './way-out/tunnel-agent.ts'
export {
  createWayOut,
  type ProxiedDestination,
  type ProxySettings,
  readProxyVariables,
  toDestination,
  type Way,
  type WayOut,
  type WayOutOptions,
} from './way-out/way-out.ts'
