import { status } from '@grpc/grpc-js'
import { ERROR_KINDS, type ErrorKind } from '@svc/errors'
import { expect, it } from 'vitest'
import { type GrpcFailure, readStatus } from './status.ts'

const LIMIT = 50 * 1024 * 1024

function failure(code: number, details: string, rest: Partial<GrpcFailure> = {}): GrpcFailure {
  return { code, details, path: '/backend.Backend/Predict', maxMessageBytes: LIMIT, ...rest }
}

/** code, text → kind, code */
const TABLE: ReadonlyArray<readonly [status, string, ErrorKind, string]> = [
  [status.CANCELLED, 'gone', 'cancelled', 'backend_cancelled'],
  [status.UNKNOWN, 'Exception calling application', 'internal', 'backend_error'],
  [status.INVALID_ARGUMENT, 'no prompt', 'invalid_request', 'backend_invalid_request'],
  [status.DEADLINE_EXCEEDED, 'Deadline exceeded', 'timeout', 'backend_timeout'],
  [status.NOT_FOUND, 'no face detected', 'not_found', 'not_found'],
  [status.ALREADY_EXISTS, 'taken', 'conflict', 'conflict'],
  [status.PERMISSION_DENIED, 'no', 'forbidden', 'forbidden'],
  [status.RESOURCE_EXHAUSTED, 'queue full', 'rate_limited', 'rate_limited'],
  [status.ABORTED, 'aborted', 'internal', 'backend_error'],
  [status.OUT_OF_RANGE, 'top_n', 'unprocessable', 'unprocessable'],
  [status.UNIMPLEMENTED, '', 'not_implemented', 'unimplemented'],
  [status.INTERNAL, 'oops', 'internal', 'backend_error'],
  [status.UNAVAILABLE, 'No connection established', 'unavailable', 'backend_unavailable'],
  [status.DATA_LOSS, 'lost', 'internal', 'backend_error'],
  [status.UNAUTHENTICATED, 'bad token', 'unauthenticated', 'unauthenticated'],
  [99 as status, 'from the future', 'internal', 'backend_error'],
  // texts that mean more than their status
  [status.FAILED_PRECONDITION, 'anything', 'precondition_failed', 'model_not_loaded'],
  [status.INTERNAL, 'Model Not Loaded', 'precondition_failed', 'model_not_loaded'],
  [status.UNKNOWN, 'rpc error: model not loaded yet', 'precondition_failed', 'model_not_loaded'],
  [status.NOT_FOUND, 'Model Identity Mismatch: want a', 'not_found', 'model_identity_mismatch'],
  [status.INTERNAL, 'model identity mismatch', 'internal', 'backend_error'],
  [status.UNKNOWN, 'unimplemented', 'not_implemented', 'unimplemented'],
  [status.UNKNOWN, 'method Rerank: Unimplemented by base', 'not_implemented', 'unimplemented'],
  [status.INTERNAL, 'unimplemented', 'internal', 'backend_error'],
  [status.UNKNOWN, 'connect ECONNREFUSED 127.0.0.1:1', 'unavailable', 'backend_unavailable'],
  [status.INTERNAL, 'read ECONNRESET', 'unavailable', 'backend_unavailable'],
  [status.UNKNOWN, 'lookup x: no such host', 'unavailable', 'backend_unavailable'],
  [status.INTERNAL, 'Received RST_STREAM with code 2 (Internal server error)', 'unavailable', 'backend_cancelled'],
  [status.INVALID_ARGUMENT, 'bad value ECONNRESET', 'invalid_request', 'backend_invalid_request'],
  // sizes: as grpc-js, grpc-go and grpc-core write them
  [status.RESOURCE_EXHAUSTED, `Received message larger than max (60000000 vs ${LIMIT})`, 'internal', 'reply_too_large'],
  [
    status.RESOURCE_EXHAUSTED,
    'Received message larger than max (5000000 vs. 4194304)',
    'too_large',
    'message_too_large',
  ],
  [status.RESOURCE_EXHAUSTED, 'grpc: received message larger than max (5 vs. 4)', 'too_large', 'message_too_large'],
  [
    status.RESOURCE_EXHAUSTED,
    `Attempted to send message with a size larger than ${LIMIT}`,
    'too_large',
    'message_too_large',
  ],
]

it.each(TABLE)('reads status %i with "%s" as %s', (code, details, kind, word) => {
  expect(readStatus(failure(code, details))).toMatchObject({ kind, code: word })
})

it('covers every status of gRPC', () => {
  const codes = Object.values(status).filter((value) => typeof value === 'number' && value !== status.OK)
  expect(codes.filter((code) => !TABLE.some(([one]) => one === code))).toEqual([])
})

it('reads FAILED_PRECONDITION of our own service as it is: there it has other reasons', () => {
  const path = '/svc.backend.v1.Extensions/SaveSlot'
  expect(readStatus(failure(status.FAILED_PRECONDITION, 'slot save/restore is disabled', { path }))).toMatchObject({
    kind: 'precondition_failed',
    code: 'precondition_failed',
    message: 'slot save/restore is disabled',
  })
})

it('says when to try again where that helps', () => {
  expect(readStatus(failure(status.UNAVAILABLE, '')).retryAfterMs).toBe(1000)
  expect(readStatus(failure(status.RESOURCE_EXHAUSTED, 'full')).retryAfterMs).toBe(1000)
  expect(readStatus(failure(status.INTERNAL, '')).retryAfterMs).toBeUndefined()
})

it('keeps addresses and paths of a lost connection out of the message', () => {
  const { message } = readStatus(failure(status.UNAVAILABLE, 'connect ENOENT /run/secret/a.sock'))
  expect(message).toBe('the backend is not reachable')
})

it('cuts a text without end', () => {
  expect(readStatus(failure(status.INVALID_ARGUMENT, 'x'.repeat(1e6))).message).toHaveLength(2000)
})

it('never gives an empty message', () => {
  for (const [code] of TABLE) expect(readStatus(failure(code, ' ')).message).not.toBe('')
})

it.each(ERROR_KINDS)('believes a backend of ours that names %s in its trailers', (kind) => {
  const reading = readStatus(
    failure(status.RESOURCE_EXHAUSTED, 'model not loaded', {
      trailers: { kind, code: 'some_word', retryAfterMs: '1500' },
    }),
  )
  expect(reading).toEqual({ kind, code: 'some_word', message: 'model not loaded', retryAfterMs: 1500 })
})

it('does not believe trailers it cannot read', () => {
  const details = 'queue full'
  const read = (trailers: GrpcFailure['trailers']) =>
    readStatus(failure(status.RESOURCE_EXHAUSTED, details, { trailers }))
  expect(read({ kind: 'teapot' })).toMatchObject({ kind: 'rate_limited', code: 'rate_limited' })
  expect(read({ kind: 'conflict', code: 'Not A Word' })).toMatchObject({ kind: 'conflict', code: 'conflict' })
  expect(read({ kind: 'conflict', retryAfterMs: 'soon' }).retryAfterMs).toBeUndefined()
  expect(read({ kind: 'conflict', retryAfterMs: '-1' }).retryAfterMs).toBeUndefined()
})
