/**
 * Forwards requests of language models to upstreams: byte for byte, or from one wire format to another.
 *
 * @module
 */

// Models that live upstream: settings, requests, replies byte for byte.

export { type ClientHeader, credentialHeaders, HOP_HEADER, MAX_HOPS, passageHeaders, replyHeaders } from './headers.ts'
export {
  type CloudSettings,
  type CloudTarget,
  cloudRequest,
  type KeySettings,
  loadCloudTarget,
  readUpstreamKey,
  upstreamUrl,
} from './outbound.ts'
export { type PassthroughBody, passthroughBody } from './passthrough.ts'
export type { ByteRewriter } from './relay/byte-rewriter.ts'
export type { ReplyTarget } from './relay/client-reply.ts'
export { createKeyRedactor } from './relay/key-redactor.ts'
export { type RelayOptions, type RelayOutcome, relay } from './relay/relay.ts'

// Models that live upstream: requests and replies from one format to another.

export { quoteUpstream } from './quote.ts'
export { addCacheBreakpoints } from './translate/cache-breakpoints.ts'
export { chatToMessages } from './translate/chat-to-messages.ts'
export {
  type ChatCall,
  type ChatUpstream,
  type ChatUpstreamOptions,
  createChatUpstream,
} from './translate/chat-upstream.ts'
export { messagesToChat } from './translate/messages-to-chat.ts'
export type { TranslateMode } from './translate/reply-reader.ts'
export { createTranslator, type Translator, type TranslatorOptions } from './translate/translator.ts'
export { UpstreamStatusError } from './upstream-error.ts'

// Models that stand in for each other.

export {
  type Candidate,
  type Chain,
  type ChainOptions,
  createChain,
  type DueProbe,
  type FailoverEvent,
  type TargetState,
  type TargetStatus,
} from './failover/chain.ts'
export { callWithFailover, type FailoverRequest, streamWithFailover } from './failover/run.ts'
export { type FailoverSettings, type FailoverTarget, readFailoverSettings } from './failover/settings.ts'
export { TARGET_FULL, TARGET_SKIPPED, type Verdict, verdictOf } from './failover/verdict.ts'

// What the caller brings.

export type { Provider, SecretReader } from './ports.ts'
