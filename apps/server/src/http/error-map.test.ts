import { SvcError } from '@svc/errors'
import { expect, it } from 'vitest'
import { readContentRange, toStatus } from './error-map.ts'

const refusal = (code: string, details = {}) => new SvcError('invalid_request', 'refused', { code, details })

// A backend chooses the codes of its errors.
it.each(['constructor', 'toString', 'no_such_code'])('gives the code %s the status of its kind', (code) => {
  expect(toStatus(refusal(code))).toBe(400)
})

it('writes the range of a refusal only with its length', () => {
  expect(readContentRange(refusal('range_not_satisfiable', { length: 12 }))).toBe('bytes */12')
  expect(readContentRange(refusal('range_not_satisfiable'))).toBeUndefined()
  expect(readContentRange(refusal('other', { length: 12 }))).toBeUndefined()
})
