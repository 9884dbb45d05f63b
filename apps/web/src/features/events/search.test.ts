import { describe, expect, it } from 'vitest'
import { asksChanges, KINDS, readEventsSearch, toKind } from './search.ts'

describe('the choice of a kind', () => {
  it.each(KINDS)('%s ends the filters of the other kinds', (kind) => {
    const isOfChanges = kind === 'administration' || kind === 'account'
    const chosen = { action: 'mask', pattern: 'ner:A', change: 'user', target: 'ada', ...toKind(kind) } as const
    expect(chosen).toEqual(
      isOfChanges
        ? { kind, action: undefined, pattern: undefined, change: 'user', target: 'ada' }
        : { kind, action: 'mask', pattern: 'ner:A', change: undefined, target: undefined },
    )
    expect(asksChanges(chosen)).toBe(isOfChanges)
  })
})

it('an address with a change or a target alone asks for changes', () => {
  for (const [parameters, wanted] of [
    [{}, false],
    [{ change: 'user' }, true],
    [{ target: 'm' }, true],
    [{ kind: 'pii', change: 'user' }, false],
    [{ kind: 'account' }, true],
    [{ kind: 'nonsense' }, false],
  ] as const)
    expect(asksChanges(readEventsSearch(parameters)), JSON.stringify(parameters)).toBe(wanted)
})
