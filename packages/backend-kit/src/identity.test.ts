import { expect, it } from 'vitest'
import { assertModelIdentity, modelNotLoaded } from './identity.ts'

it.each([
  ['', ''],
  ['', 'a'],
  ['a', ''],
  ['a', 'a'],
])('lets %j through to %j', (asked, loaded) => {
  expect(() => assertModelIdentity(asked, loaded)).not.toThrow()
})

it.each([
  ['a', 'b'],
  ['a', 'A'],
  ['a', 'a '],
])('refuses %j on %j with the text that hosts look for', (asked, loaded) => {
  expect(() => assertModelIdentity(asked, loaded)).toThrow(
    expect.objectContaining({ kind: 'not_found', message: expect.stringContaining('model identity mismatch') }),
  )
})

it('names a missing model with the text that hosts look for', () => {
  expect(modelNotLoaded()).toMatchObject({ kind: 'precondition_failed', message: 'model not loaded' })
})
