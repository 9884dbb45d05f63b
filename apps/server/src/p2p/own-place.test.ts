import { expect, it } from 'vitest'
import { findOwnPlace } from './own-place.ts'

it.each([
  [undefined, '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['192.0.2.1', '192.0.2.1'],
  ['models.example', 'models.example'],
])('finds the place of a server that listens at %s', (host, reached) => {
  expect(findOwnPlace(host, 8080)).toEqual({ host: reached, port: 8080 })
  expect(findOwnPlace(host, undefined)).toBeUndefined()
})
