/**
 * Forwards requests of language models to upstreams: byte for byte, or from one wire format to another.
 *
 * @module
 */
export type { Header, Provider, SecretReader, Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts'
