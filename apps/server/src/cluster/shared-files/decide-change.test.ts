import { expect, it } from 'vitest'
import { decideChange, type Sides } from './decide-change.ts'

const at = (revision: string, version: number) => ({ revision, version })

it.each<[string, string, Partial<Sides>]>([
  ['none', 'nothing anywhere', {}],
  ['none', 'equal and known', { agreed: at('a', 1), local: 'a', shared: at('a', 1) }],
  ['none', 'deleted and known', { agreed: at('', 2), shared: at('', 2) }],
  ['agree', 'equal and not known yet', { local: 'a', shared: at('a', 1) }],
  ['agree', 'written again with the same content', { agreed: at('a', 1), local: 'a', shared: at('a', 3) }],
  ['agree', 'deleted on both sides', { agreed: at('a', 1), shared: at('', 2) }],
  ['pull', 'new there', { shared: at('a', 1) }],
  ['pull', 'changed there', { agreed: at('a', 1), local: 'a', shared: at('b', 2) }],
  ['pull', 'deleted there', { agreed: at('a', 1), local: 'a', shared: at('', 2) }],
  [
    'pull',
    'deleted there while this one was off',
    { agreed: at('a', 1), local: 'a', shared: at('', 2), isFirst: true },
  ],
  ['pull', 'deleted there long ago', { agreed: at('a', 1), local: 'a', isFirst: true, isStale: true }],
  ['pull', 'changed there, deleted here while off', { agreed: at('a', 1), shared: at('b', 2), isFirst: true }],
  ['push', 'new here', { local: 'a' }],
  ['push', 'new here after a long time', { local: 'a', isStale: true }],
  ['push', 'changed here', { agreed: at('a', 1), local: 'b', shared: at('a', 1) }],
  ['push', 'deleted here', { agreed: at('a', 1), shared: at('a', 1) }],
  ['push', 'changed here while off', { agreed: at('a', 1), local: 'b', shared: at('a', 1), isFirst: true }],
  ['push', 'written here again after it was deleted', { agreed: at('', 2), local: 'a', shared: at('', 2) }],
  ['push', 'changed on both sides', { agreed: at('a', 1), local: 'b', shared: at('c', 2) }],
  ['push', 'lost with the database', { agreed: at('a', 1), local: 'a' }],
  ['replace', 'different at the first join', { local: 'a', shared: at('b', 1), isFirst: true }],
  ['replace', 'changed on both sides while off', { agreed: at('a', 1), local: 'b', shared: at('c', 2), isFirst: true }],
  ['replace', 'here although deleted there, at the first join', { local: 'a', shared: at('', 2), isFirst: true }],
  ['forget', 'deleted long ago on both sides', { agreed: at('', 2) }],
])('%s: %s', (decision, _, sides) => {
  expect(
    decideChange({ agreed: undefined, local: '', shared: undefined, isFirst: false, isStale: false, ...sides }),
  ).toBe(decision)
})
