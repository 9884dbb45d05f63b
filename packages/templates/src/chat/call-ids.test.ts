import { describe, expect, it } from 'vitest'
import { createCallIds } from './call-ids.ts'

const NINE = /^[a-zA-Z0-9]{9}$/

function call(id: string, name = 'f'): { id: string; name: string; arguments: string } {
  return { id, name, arguments: '{}' }
}

describe('call ids', () => {
  it('of any form stay', () => {
    const ids = createCallIds('any')
    expect([ids.call(call('call_1')), ids.result('call_1'), ids.result('other')]).toEqual(['call_1', 'call_1', 'other'])
  })

  it.each([
    ['ours', 'call_000000000000000000000001'],
    ['the common form', 'call_0123456789ab'],
    ['the form of messages', 'toolu_01AbCdEfGhIjKlMn'],
    ['a uuid', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['short', '1'],
    ['nine characters with others', 'call-1234'],
    ['other letters', 'wörk-😀'],
    ['absent', ''],
  ])('of nine letters or digits: %s', (_name, id) => {
    const ids = createCallIds('nine')
    const mapped = ids.call(call(id))
    expect(mapped).toMatch(NINE)
    expect(ids.result(id)).toBe(mapped)
    expect(createCallIds('nine').call(call(id))).toBe(mapped)
  })

  it('that have nine letters or digits stay', () => {
    expect(createCallIds('nine').call(call('aB3dE6gH9'))).toBe('aB3dE6gH9')
  })

  it('stay different', () => {
    const ids = createCallIds('nine')
    const mapped = Array.from({ length: 2000 }, (_, index) => ids.call(call(`call_${index}`)))
    expect(new Set(mapped).size).toBe(2000)
  })

  it('of results without a call have the form, too', () => {
    expect(createCallIds('nine').result('call_unknown')).toMatch(NINE)
  })

  it('that results lack are those of the calls of the turn, in order', () => {
    const ids = createCallIds('any')
    ids.startTurn()
    for (const id of ['left', 'over']) ids.call(call(id))
    ids.startTurn()
    for (const id of ['a', 'b', 'c']) ids.call(call(id))
    expect([ids.result('b'), ids.result(''), ids.result(''), ids.result('')]).toEqual(['b', 'a', 'c', ''])
  })

  it('with a function count all calls of the conversation', () => {
    const ids = createCallIds('function')
    expect([ids.call(call('x', 'get')), ids.result('x')]).toEqual(['functions.get:0', 'functions.get:0'])
    // A client may use an id again in a later turn.
    expect([ids.call(call('x', 'set')), ids.result('x')]).toEqual(['functions.set:1', 'functions.set:1'])
  })
})
