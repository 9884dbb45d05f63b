import * as mitm from '@svc/mitm'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(mitm).sort()).toEqual([
    'DEFAULT_HOSTS',
    'DEFAULT_LIMITS',
    'MitmError',
    'canonicalHost',
    'createAllowlist',
    'createCaFolder',
    'createScannedPaths',
    'openAuthority',
    'readAuthority',
    'startMitmProxy',
  ])
})
