/**
 * A TLS-intercepting proxy: it filters requests of listed hosts, and tunnels everything else untouched.
 *
 * @module
 */

// The authority
export { type Authority, type AuthorityOptions, openAuthority, readAuthority } from './certificates/authority.ts'
export { type CaStore, createCaFolder } from './certificates/ca-store.ts'
export type { KeyedCertificate } from './certificates/certificate.ts'
// Failures
export { MitmError } from './errors.ts'
export type {
  ConnectEvent,
  HandshakeEvent,
  MitmEvent,
  RefusedEvent,
  ServerNameEvent,
  TrafficEvent,
  TunnelEvent,
} from './events.ts'
export { createScannedPaths, type ScannedFormat, type ScannedPaths } from './filter/scanned-paths.ts'
// Hosts
export { type Allowlist, createAllowlist, DEFAULT_HOSTS, type HostClaim } from './hosts/allowlist.ts'
export { canonicalHost } from './hosts/host.ts'
export { DEFAULT_LIMITS, type Limits } from './limits/limits.ts'
// Ports: filters, rules and events
export type {
  BodyFilter,
  FilterVerdict,
  HostPolicy,
  HostRules,
  ReplyRestorer,
  ReplyStream,
  ScannedRequest,
} from './ports.ts'
// The proxy
export { type MitmCounts, type MitmProxy, type MitmProxyOptions, startMitmProxy } from './proxy.ts'
export type { Listener } from './upstream/destination.ts'
