import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { isTypedArray } from './typed-arrays.ts'

it.each([new Uint8Array(2), Buffer.from('ab'), runInNewContext('new Uint8Array(2)')])('%o is bytes', (value) => {
  expect(isTypedArray(value, 'Uint8Array')).toBe(true)
  expect(isTypedArray(value, 'Float32Array')).toBe(false)
})

it.each([undefined, null, 'ab', 7, [1], new ArrayBuffer(2), new DataView(new ArrayBuffer(2)), new Int8Array(2)])(
  '%o is neither bytes nor floats',
  (value) => {
    expect(isTypedArray(value, 'Uint8Array')).toBe(false)
    expect(isTypedArray(value, 'Float32Array')).toBe(false)
  },
)

it('an object that calls itself an array of bytes is not one', () => {
  expect(isTypedArray({ [Symbol.toStringTag]: 'Uint8Array' }, 'Uint8Array')).toBe(false)
})
