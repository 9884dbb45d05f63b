/**
 * Forwards requests of language models to upstreams: byte for byte, or from one wire format to another.
 *
 * @module
 */

// Models at an upstream: settings, requests, replies byte for byte.

export {
  type ClientHeader,
  createCredentialHeaders,
  createHopHeaders,
  HOP_HEADER,
  MAX_HOPS,
  selectReplyHeaders,
} from './headers.ts'
export {
  type CloudSettings,
  type CloudTarget,
  createCloudRequest,
  type KeySettings,
  loadCloudTarget,
  parseUpstreamUrl,
  readUpstreamKey,
} from './outbound.ts'
export { createPassthroughBody, type PassthroughBody } from './passthrough.ts'
export type { ByteRewriter } from './relay/byte-rewriter.ts'
export type { ReplyTarget } from './relay/client-reply.ts'
export { createKeyRedactor } from './relay/key-redactor.ts'
export { type RelayOptions, type RelayOutcome, relay } from './relay/relay.ts'

// Models at an upstream: calls in another wire format.

export { quoteUpstream } from './quote.ts'
export {
  type ChatCall,
  type ChatUpstream,
  type ChatUpstreamOptions,
  createChatUpstream,
} from './translate/chat-upstream.ts'
export { UpstreamStatusError } from './upstream-error.ts'

// Ports of the caller.

export type { Provider, SecretReader } from './ports.ts'
