/**
 * A TLS-intercepting proxy: it filters requests of listed hosts, and tunnels everything else untouched.
 *
 * @module
 */

// Hosts
export { type Allowlist, createAllowlist, DEFAULT_HOSTS, type HostClaim } from './allowlist.ts'
// The authority
export { type Authority, type AuthorityOptions, openAuthority, readAuthority } from './authority.ts'
export { type CaStore, createCaFolder } from './ca-store.ts'
export type { KeyedCertificate } from './certificate.ts'
export type { Listener } from './destination.ts'
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
export { canonicalHost } from './host.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
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
export { createScannedPaths, type ScannedFormat, type ScannedPaths } from './scanned-paths.ts'
