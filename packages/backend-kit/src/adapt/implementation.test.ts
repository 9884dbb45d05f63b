import { backendMethods } from '@svc/backend-client/proto'
import { expect, it } from 'vitest'
import { type CallRules, implement } from './implementation.ts'

it.each([
  [{ predcit: () => ({}) }, 'handlers: "predcit" must be one of'],
  [{ toString: () => ({}) }, 'handlers: "toString" must be one of'],
  [{ predict: {} }, 'handlers.predict must be a function, not an object'],
  [{ predict: 'x' }, 'handlers.predict must be a function'],
])('handlers %o are refused before anybody calls them', (handlers, message) => {
  expect(() => implement(backendMethods, handlers, {} as CallRules)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
  )
})
