import { expect, it } from 'vitest'
import { createAllowlist, DEFAULT_HOSTS } from './allowlist.ts'

it('lists the default hosts, without owners, while nobody claims any', () => {
  const list = createAllowlist([{ owner: 'm', hosts: [] }])
  expect(list.hosts).toEqual(DEFAULT_HOSTS)
  expect(list.owners('api.openai.com')).toEqual([])
  expect(list.owners('example.com')).toBeUndefined()
})

it('replaces the default hosts by claimed ones, in canonical form', () => {
  const list = createAllowlist([{ owner: 'm', hosts: ['API.Example.', 'api.example'] }])
  expect(list.hosts).toEqual(['api.example'])
  expect(list.owners('api.example')).toEqual(['m'])
  expect(list.owners('api.openai.com')).toBeUndefined()
  expect(list.conflicts).toEqual([])
})

it('names all owners of a host that several claim, and entries that are no hosts', () => {
  const list = createAllowlist([
    { owner: 'a', hosts: ['x.example', 'no host'] },
    { owner: 'b', hosts: ['X.example', 'y.example'] },
  ])
  expect(list.owners('x.example')).toEqual(['a', 'b'])
  expect(list.conflicts).toEqual([{ host: 'x.example', owners: ['a', 'b'] }])
  expect(list.invalid).toEqual([{ owner: 'a', entry: 'no host', reason: expect.stringContaining('is not a host') }])
})

it('finds the owners of patterns beside those of hosts, and names hosts that both list', () => {
  const list = createAllowlist([
    { owner: 'a', hosts: ['*.X.example', 'own.example'] },
    { owner: 'b', hosts: ['api.x.example', '*.x.example.'] },
    { owner: 'c', hosts: ['*.example', 'x.example'] },
  ])
  expect(list.hosts).toEqual(['*.x.example', 'own.example', 'api.x.example', '*.example', 'x.example'])
  expect(list.claims.map(({ hosts }) => hosts)).toEqual([
    ['*.x.example', 'own.example'],
    ['api.x.example', '*.x.example'],
    ['*.example', 'x.example'],
  ])
  expect(list.owners('deep.api.x.example')).toEqual(['a', 'b', 'c'])
  expect(list.owners('x.example')).toEqual(['c'])
  expect(list.owners('other.test')).toBeUndefined()
  expect(list.conflicts).toEqual([
    { host: '*.x.example', owners: ['a', 'b', 'c'] },
    { host: 'own.example', owners: ['a', 'c'] },
    { host: 'api.x.example', owners: ['b', 'a', 'c'] },
  ])
})
