import { describe, expect, it } from 'vitest'
import { ANONYMOUS_PRINCIPAL, createLocalPrincipal, LEGACY_PRINCIPAL, type Principal } from '../principal.ts'
import { checkAccess, checkModelAccess, decideAccess, decideModelAccess, type RouteRequirement } from './access.ts'
import { resolveFeatures } from './features.ts'

const admin = createLocalPrincipal()
const user: Principal = {
  ...admin,
  kind: 'user',
  role: 'user',
  features: resolveFeatures({ vad: false, agents: true }),
}
const narrow: Principal = { ...user, scopes: { routes: ['chat'] } }
const narrowAdmin: Principal = { ...admin, scopes: { routes: ['chat'] } }

const routes = {
  public: { access: 'none' },
  any: { access: 'any' },
  chat: { access: 'any', feature: 'chat' },
  vad: { access: 'any', feature: 'vad' },
  agents: { access: 'any', feature: 'agents' },
  skills: { access: 'any', feature: 'skills' },
  own: { access: 'self' },
  admin: { access: 'admin' },
} as const satisfies Record<string, RouteRequirement>

const matrix: readonly (readonly [string, Principal, Readonly<Record<keyof typeof routes, string>>])[] = [
  [
    'nobody',
    ANONYMOUS_PRINCIPAL,
    row(
      'ok',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
    ),
  ],
  ['user', user, row('ok', 'ok', 'ok', 'no-feature', 'ok', 'no-feature', 'ok', 'not-admin')],
  [
    'narrow key',
    narrow,
    row('ok', 'out-of-scope', 'ok', 'out-of-scope', 'out-of-scope', 'out-of-scope', 'out-of-scope', 'not-admin'),
  ],
  [
    'narrow admin key',
    narrowAdmin,
    row('ok', 'out-of-scope', 'ok', 'out-of-scope', 'out-of-scope', 'out-of-scope', 'out-of-scope', 'out-of-scope'),
  ],
  ['admin', admin, row('ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok')],
  ['shared key', LEGACY_PRINCIPAL, row('ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok')],
]

function row(...verdicts: [string, string, string, string, string, string, string, string]) {
  const [open, any, chat, vad, agents, skills, own, adminOnly] = verdicts
  return { public: open, any, chat, vad, agents, skills, own, admin: adminOnly }
}

describe.each(matrix)('%s', (_, principal, wanted) => {
  it('may use these routes and no others', () => {
    const found = Object.entries(routes).map(([name, route]) => [name, decideAccess(principal, route)?.kind ?? 'ok'])
    expect(Object.fromEntries(found)).toEqual(wanted)
  })
})

it('says why with the specified texts', () => {
  expect(() => checkAccess(ANONYMOUS_PRINCIPAL, routes.any)).toThrow(
    expect.objectContaining({ kind: 'unauthenticated', message: 'An authentication key is required' }),
  )
  expect(() => checkAccess(user, routes.admin)).toThrow(
    expect.objectContaining({ kind: 'forbidden', message: 'Admin access required', code: 'not_admin' }),
  )
  expect(() => checkAccess(user, routes.vad)).toThrow(
    expect.objectContaining({
      message: 'feature not enabled for your account: vad',
      details: { type: 'authorization_error' },
    }),
  )
  expect(() => checkAccess(narrow, routes.any)).toThrow(expect.objectContaining({ code: 'out_of_scope' }))
  expect(() => checkAccess(admin, routes.admin)).not.toThrow()
})

it('limits models by the account and by the key', () => {
  const some: Principal = { ...user, models: new Set(['a', 'b']), scopes: { models: ['b', 'c'] } }
  expect(['a', 'b', 'c', 'B'].map((model) => decideModelAccess(some, model) === undefined)).toEqual([
    false,
    true,
    false,
    false,
  ])
  expect(() => checkModelAccess(some, 'a')).toThrow(
    expect.objectContaining({ kind: 'forbidden', message: 'access denied to model: a' }),
  )
  expect(() => checkModelAccess(user, 'anything')).not.toThrow()
})

it('has the defaults of switches that nobody set', () => {
  const defaults = resolveFeatures({})
  expect([defaults.has('chat'), defaults.has('agents'), defaults.has('pii_filter')]).toEqual([true, false, true])
  expect(resolveFeatures({ chat: false, constructor: true }).has('chat')).toBe(false)
})
