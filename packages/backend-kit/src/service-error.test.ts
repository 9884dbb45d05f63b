import { status } from '@grpc/grpc-js'
import { ERROR_KINDS, SvcError } from '@svc/errors'
import { expect, it } from 'vitest'
import { toServiceStatus } from './service-error.ts'
import { StatusError } from './status-error.ts'

const PATH = '/backend.Backend/Predict'

function unreported(path: string, thrown: unknown): void {
  throw new Error(`${path} reported ${String(thrown)}`)
}

it.each(ERROR_KINDS)('has a status for %s and names it in the trailers', (kind) => {
  const { code, details, metadata } = toServiceStatus(new SvcError(kind, 'because'), PATH, unreported)
  expect(code).toBeGreaterThan(status.OK)
  expect(details).toBe('because')
  expect(metadata.getMap()).toEqual({ 'svc-error-kind': kind, 'svc-error-code': kind })
})

it.each([
  ['invalid_request', status.INVALID_ARGUMENT],
  ['not_found', status.NOT_FOUND],
  ['precondition_failed', status.FAILED_PRECONDITION],
  ['unavailable', status.UNAVAILABLE],
  ['not_implemented', status.UNIMPLEMENTED],
  ['rate_limited', status.RESOURCE_EXHAUSTED],
  ['timeout', status.DEADLINE_EXCEEDED],
  ['unauthenticated', status.UNAUTHENTICATED],
] as const)('gives %s the status that hosts of others know', (kind, code) => {
  expect(toServiceStatus(new SvcError(kind, 'x'), PATH, unreported).code).toBe(code)
})

it('says when to try again', () => {
  const error = new SvcError('rate_limited', 'full', { code: 'queue_full', retryAfterMs: 1500 })
  expect(toServiceStatus(error, PATH, unreported).metadata.getMap()).toEqual({
    'svc-error-kind': 'rate_limited',
    'svc-error-code': 'queue_full',
    'svc-retry-after-ms': '1500',
  })
})

it('hides unexpected errors from the caller, and reports them in full', () => {
  const reported: unknown[] = []
  const thrown = new Error('password is hunter2')
  const result = toServiceStatus(thrown, PATH, (...args) => reported.push(args))
  expect(result).toMatchObject({ code: status.INTERNAL, details: 'internal error' })
  expect(result.metadata.getMap()).toEqual({})
  expect(reported).toEqual([[PATH, thrown]])
})

it('passes an exact status on, without trailers', () => {
  const result = toServiceStatus(new StatusError(status.DATA_LOSS, 'lost'), PATH, unreported)
  expect(result).toMatchObject({ code: status.DATA_LOSS, details: 'lost' })
  expect(result.metadata.getMap()).toEqual({})
})

it.each([
  ['a half character', 'cut \ud83d here', 'cut \ufffd here'],
  ['whole characters', 'whole \ud83d\ude00', 'whole \ud83d\ude00'],
])('has a text that can travel where it holds %s', (_name, text, details) => {
  expect(toServiceStatus(new SvcError('internal', text), PATH, unreported).details).toBe(details)
  expect(toServiceStatus(new StatusError(status.ABORTED, text), PATH, unreported).details).toBe(details)
})

it('has a text that fits into a header', () => {
  const { details } = toServiceStatus(new SvcError('internal', 'x'.repeat(100_000)), PATH, unreported)
  expect(details).toBe(`${'x'.repeat(999)}…`)
})
