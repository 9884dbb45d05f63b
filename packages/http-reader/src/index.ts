/**
 * Reads plain HTTP/1.1 requests off sockets and writes their replies. Every other connection is handed on with all of
 * its bytes, such as to Node's HTTP server.
 *
 * @module
 */

// The end of a connection
export { endConnection, LINGER_BYTES, LINGER_MS } from './end-connection.ts'
export { type AwaitedReply, type SendingSocket, watchHalfClosed } from './half-closed.ts'
// Replies
export type { HeaderValue } from './header-syntax.ts'
export { createLastReply, type LastReplyOptions } from './last-reply.ts'
// A server's connections
export type { ReaderLimits } from './limits.ts'
export { MAX_AHEAD_BYTES } from './limits.ts'
export type { PlainRequest } from './plain-request.ts'
export { listMissing, NO_HEADERS, type PreparedHeaders, toPreparedHeaders } from './prepared-headers.ts'
export { type Answered, type GivenHeaders, Reply, type ReplySink } from './reply.ts'
// Bytes to requests
export { HeadReader, PLAIN_METHODS, type RequestHead } from './request-head.ts'
export { createRequestReader, type RequestReader, type RequestReaderOptions } from './request-reader.ts'
export { type UnreadOptions, watchUnread } from './unread-watch.ts'
