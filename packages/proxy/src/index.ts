/**
 * Forwards requests of language models to upstreams: byte for byte, or from one wire format to another.
 *
 * @module
 */

// Sending requests.

export { createHttpUpstream, type HttpUpstream, type HttpUpstreamOptions } from './http1/client.ts'
export type {
  Header,
  Provider,
  SecretReader,
  Upstream,
  UpstreamCall,
  UpstreamHead,
  UpstreamReply,
  UpstreamRequest,
  UpstreamSink,
} from './upstream.ts'
