import { expect, it } from 'vitest'
import { checkArgument } from './check-argument.ts'

it.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['secret', 'this text'],
  [7, 'a number'],
  [[], 'an array'],
  [{}, 'an object'],
])('refuses %j and names its kind', (given, kind) => {
  expect(() => checkArgument(false, 'parse: bytes', 'a Uint8Array', given)).toThrow(
    expect.objectContaining({
      kind: 'internal',
      code: 'invalid_argument',
      message: `parse: bytes must be a Uint8Array, not ${kind}`,
    }),
  )
  expect(() => checkArgument(true, 'parse: bytes', 'a Uint8Array', given)).not.toThrow()
})
