import { status } from '@grpc/grpc-js'
import { SvcError } from '@svc/errors'
import { expect, it } from 'vitest'
import { BackendError, ensureSuccess, toAbortError, toBackendError } from './errors.ts'

const PATH = '/backend.Backend/LoadModel'

function abortedWith(reason?: unknown): AbortSignal {
  const controller = new AbortController()
  controller.abort(reason)
  return controller.signal
}

it('keeps what gRPC said beside what it means', () => {
  const cause = new Error('bad')
  const error = toBackendError(
    { code: status.INVALID_ARGUMENT, details: 'bad', cause },
    { path: PATH, maxMessageBytes: 1 },
  )
  expect(error).toBeInstanceOf(BackendError)
  expect(SvcError.is(error)).toBe(true)
  expect(error).toMatchObject({
    name: 'BackendError',
    kind: 'invalid_request',
    message: 'bad',
    cause,
    details: { rpc: PATH, grpcCode: status.INVALID_ARGUMENT, grpcMessage: 'bad' },
  })
})

it('reads the trailers of a backend of ours', () => {
  const trailers = {
    'svc-error-kind': 'insufficient_storage',
    'svc-error-code': 'slot_too_large',
    'svc-retry-after-ms': '5',
  }
  const error = toBackendError(
    { code: status.RESOURCE_EXHAUSTED, details: 'full', trailers },
    {
      path: PATH,
      maxMessageBytes: 1,
    },
  )
  expect(error).toMatchObject({ kind: 'insufficient_storage', code: 'slot_too_large', retryAfterMs: 5 })
})

it('sees a call that the backend broke off as a backend that is gone, because the caller is still there', () => {
  const error = toBackendError(
    { code: status.CANCELLED, details: 'Call cancelled' },
    { path: PATH, maxMessageBytes: 1 },
  )
  expect(error).toMatchObject({ kind: 'unavailable', code: 'backend_cancelled' })
})

it('reads the reason of an abort', () => {
  expect(toAbortError(abortedWith(), PATH)).toMatchObject({ kind: 'cancelled', code: 'cancelled' })
  const late = new DOMException('late', 'TimeoutError')
  expect(toAbortError(abortedWith(late), PATH)).toMatchObject({ kind: 'timeout', code: 'backend_timeout', cause: late })
  const ours = new SvcError('unavailable', 'stopping')
  expect(toAbortError(abortedWith(ours), PATH)).toBe(ours)
})

it('lets a result through that succeeded, and fails with its own words when it did not', () => {
  const result = { success: true, message: 'loaded' }
  expect(ensureSuccess(result)).toBe(result)
  expect(() => ensureSuccess({ success: false, message: 'no such file' })).toThrow(
    expect.objectContaining({ kind: 'internal', code: 'backend_refused', message: 'no such file' }),
  )
  expect(() => ensureSuccess({ success: false, message: '' })).toThrow('the backend refused without a reason')
})
