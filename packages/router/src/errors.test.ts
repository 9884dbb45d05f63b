import { expect, it } from 'vitest'
import { classifierError, depthError, missingModelError, noFallbackError, type RouterError } from './errors.ts'
import { VectorError } from './vector/errors.ts'

const cause = new Error('inner')

it.each<[RouterError, string, string]>([
  [depthError('candidate', 'm'), 'router_depth', 'router candidate "m" is itself a router (depth-1 invariant)'],
  [depthError('fallback', 'm'), 'router_depth', 'router fallback "m" is itself a router (depth-1 invariant)'],
  [missingModelError('candidate', 'm'), 'router_model_missing', 'router candidate "m" not loadable: not found'],
  [missingModelError('fallback', 'm'), 'router_model_missing', 'router fallback "m" not loadable: not found'],
  [noFallbackError('nothing fits'), 'router_no_fallback', 'router: nothing fits and no fallback configured'],
  [classifierError('no answer'), 'router_classifier', 'no answer'],
])('%s has its code, and no cause', (error, code, message) => {
  expect(error).toMatchObject({ name: 'RouterError', kind: 'internal', code, message })
  expect(error.cause).toBeUndefined()
})

it('keeps the cause', () => {
  expect([noFallbackError('x', cause).cause, classifierError('x', cause).cause]).toEqual([cause, cause])
})

it.each([
  ['vector_invalid', 'invalid_request'],
  ['vector_dimension', 'invalid_request'],
  ['vector_limit', 'insufficient_storage'],
] as const)('of vectors with the code %s is of the kind %s', (code, kind) => {
  expect(new VectorError(code, 'm')).toMatchObject({ name: 'VectorError', code, kind, message: 'm' })
})
