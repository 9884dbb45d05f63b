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
  expect(list.invalid).toEqual([{ owner: 'a', entry: 'no host' }])
})
