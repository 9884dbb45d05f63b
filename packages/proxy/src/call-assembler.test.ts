import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCallAssembler } from './call-assembler.ts'

interface Piece {
  readonly index?: number | null
  readonly id?: string | null
  readonly name?: string | null
  readonly args?: unknown
}

/** One delta for each list of pieces. */
function assemble(...deltas: readonly (readonly Piece[])[]) {
  const assembler = createCallAssembler()
  const calls: { id: string; name: string; text: string }[] = []
  for (const pieces of deltas) {
    const tool_calls = pieces.map(({ index, id, name, args }) => ({ index, id, function: { name, arguments: args } }))
    for (const { index, opened, arguments: text } of assembler.take({ tool_calls })) {
      if (opened !== undefined) calls[index] = { ...opened, text: '' }
      const call = calls[index]
      if (call === undefined) throw new Error('a piece of a call that has not begun')
      call.text += text
    }
  }
  return calls
}

const brief = (calls: ReturnType<typeof assemble>) => calls.map(({ id, name, text }) => [id, name, text])
const NEW = expect.stringMatching(/^call_[0-9a-f]{24}$/)
const OSLO = '{"city":"Oslo"}'
const CET = '{"zone":"CET"}'

describe('the calls of a stream', () => {
  it.each<[string, Piece[][], unknown[][]]>([
    [
      'of one index each, in fragments',
      [
        [{ index: 0, id: 'a', name: 'f', args: '' }],
        [{ index: 0, args: '{"city":' }],
        [{ index: 0, args: '"Oslo"}' }],
        [{ index: 1, id: 'b', name: 'g', args: '' }],
        [{ index: 1, args: CET }],
      ],
      [
        ['a', 'f', OSLO],
        ['b', 'g', CET],
      ],
    ],
    [
      'whole, without an index',
      [[{ id: 'a', name: 'f', args: OSLO }], [{ id: 'b', name: 'g', args: CET }]],
      [
        ['a', 'f', OSLO],
        ['b', 'g', CET],
      ],
    ],
    [
      'of one tool, whole, all with the index 0 and an id each',
      [
        [{ index: 0, id: 'a', name: 'f', args: OSLO }],
        [{ index: 0, id: 'b', name: 'f', args: OSLO }],
        [{ index: 0, id: 'c', name: 'f', args: '{}' }],
      ],
      [
        ['a', 'f', OSLO],
        ['b', 'f', OSLO],
        ['c', 'f', '{}'],
      ],
    ],
    [
      'whole, with the index 0 and an empty id',
      [
        [{ index: 0, id: '', name: 'f', args: OSLO }],
        [{ index: 0, id: '', name: 'g', args: CET }],
        [{ index: 0, id: '', name: 'g', args: CET }],
      ],
      [
        [NEW, 'f', OSLO],
        [NEW, 'g', CET],
        [NEW, 'g', CET],
      ],
    ],
    [
      'that share one id',
      [
        [{ index: 0, id: '0', name: 'f', args: OSLO }],
        [{ index: 1, id: '0', name: 'f', args: '{"city"' }],
        [{ index: 1, id: '0', args: ':"Rome"}' }],
      ],
      [
        ['0', 'f', OSLO],
        [NEW, 'f', '{"city":"Rome"}'],
      ],
    ],
    [
      'with id and name in each piece',
      [
        [{ index: 0, id: 'a', name: 'f', args: '' }],
        [{ index: 0, id: 'a', name: 'f', args: '{"city"' }],
        [{ index: 0, id: 'a', name: 'f', args: ':"Oslo"}' }],
        [{ index: 0, id: 'a', name: 'f', args: '' }],
      ],
      [['a', 'f', OSLO]],
    ],
    [
      'with the name in each piece and no id',
      [[{ name: 'f', args: '{"city"' }], [{ name: 'f', args: ':"Oslo"}' }], [{ name: 'f', args: OSLO }]],
      [
        [NEW, 'f', OSLO],
        [NEW, 'f', OSLO],
      ],
    ],
    [
      'with another id in each piece',
      [
        [{ index: 0, id: 'a', name: 'f', args: '' }],
        [{ index: 0, id: 'b', args: '{"city"' }],
        [{ index: 0, id: 'c', args: ':"Oslo"}' }],
      ],
      [['a', 'f', OSLO]],
    ],
    [
      'with empty ids and names in later pieces',
      [
        [{ index: 0, id: 'a', name: 'f', args: '{' }],
        [{ index: 0, id: '', name: '', args: '' }],
        [{ index: 0, id: null, name: null, args: '}' }],
      ],
      [['a', 'f', '{}']],
    ],
    [
      'that are mixed',
      [
        [{ index: 0, id: 'a', name: 'f' }],
        [{ index: 1, id: 'b', name: 'g' }],
        [
          { index: 1, args: '{"zone"' },
          { index: 0, args: '{"city"' },
        ],
        [
          { index: 0, args: ':"Oslo"}' },
          { index: 1, args: ':"CET"}' },
        ],
      ],
      [
        ['a', 'f', OSLO],
        ['b', 'g', CET],
      ],
    ],
    [
      'that are mixed under one index, by their ids',
      [
        [{ index: 0, id: 'a', name: 'f' }],
        [{ index: 0, id: 'b', name: 'g' }],
        [{ index: 0, id: 'a', args: OSLO }],
        [{ index: 0, id: 'b', args: CET }],
      ],
      [
        ['a', 'f', OSLO],
        ['b', 'g', CET],
      ],
    ],
    [
      'that came together without an index',
      [
        [
          { name: 'f', args: '{"city"' },
          { name: 'f', args: '' },
        ],
        [{ args: ':"Oslo"}' }, { args: '{}' }],
      ],
      [
        [NEW, 'f', OSLO],
        [NEW, 'f', '{}'],
      ],
    ],
    [
      'from another first index',
      [[{ index: 1, id: 'a', name: 'f', args: OSLO }], [{ index: 7, id: 'b', name: 'g', args: CET }]],
      [
        ['a', 'f', OSLO],
        ['b', 'g', CET],
      ],
    ],
    [
      'whose id comes before the name',
      [[{ index: 0, id: 'a' }], [{ index: 0, name: 'f' }], [{ index: 0, args: OSLO }]],
      [['a', 'f', OSLO]],
    ],
    [
      'whose arguments come before the name',
      [[{ index: 0, id: 'a', args: '{"city"' }], [{ index: 0, name: 'f', args: ':"Oslo"}' }]],
      [['a', 'f', OSLO]],
    ],
    [
      'whose index comes with a later piece',
      [[{ id: 'a', name: 'f' }], [{ index: 3, args: '{"city"' }], [{ index: 3, args: ':"Oslo"}' }]],
      [['a', 'f', OSLO]],
    ],
    [
      'that are sent again, whole, at the end',
      [[{ index: 0, id: 'a', name: 'f', args: OSLO }], [{ index: 0, id: 'a', name: 'f', args: OSLO }]],
      [['a', 'f', OSLO]],
    ],
    [
      'whose arguments hold brackets in texts',
      [
        [{ index: 0, name: 'f', args: '{"a":"}{\\"' }],
        [{ index: 0, name: 'f', args: '{"}' }],
        [{ index: 0, name: 'f', args: '{}' }],
      ],
      [
        [NEW, 'f', '{"a":"}{\\"{"}'],
        [NEW, 'f', '{}'],
      ],
    ],
    [
      'whose arguments are objects',
      [[{ index: 0, id: 'a', name: 'f', args: { city: 'Oslo' } }], [{ index: 0, id: 'b', name: 'g', args: [] }]],
      [
        ['a', 'f', OSLO],
        ['b', 'g', '{}'],
      ],
    ],
    ['that never get a name', [[{ index: 0, id: 'a', args: OSLO }]], []],
  ])('%s', (_, deltas, expected) => {
    const calls = assemble(...deltas)
    expect(brief(calls)).toEqual(expected)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  })

  it('of the older form are one call in pieces', () => {
    const assembler = createCallAssembler()
    expect(assembler.take({ function_call: { name: 'f', arguments: '' } })).toMatchObject([{ index: 0, arguments: '' }])
    expect(assembler.take({ function_call: { arguments: OSLO } })).toEqual([{ index: 0, arguments: OSLO }])
  })

  it('are bounded', () => {
    const assembler = createCallAssembler()
    const delta = { tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }
    const takeAll = (): void => {
      for (let count = 0; count < 2000; count += 1) assembler.take(delta)
    }
    expect(takeAll).toThrow('too many calls')
    expect(assembler.count).toBe(1024)
  })

  it('are empty until more than blanks have come', () => {
    const assembler = createCallAssembler()
    assembler.take({ tool_calls: [{ index: 0, function: { name: 'f', arguments: ' ' } }] })
    assembler.take({ tool_calls: [{ index: 1, function: { name: 'g', arguments: '{' } }] })
    expect(assembler.listEmpty()).toEqual([0])
  })

  it('are the same for arguments in any pieces, with or without indexes', () => {
    const args = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
      .map((one) => JSON.stringify(one))
    const lists = fc.array(fc.record({ name: fc.constantFrom('f', 'g'), args, cut: fc.nat(40) }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(lists, fc.boolean(), fc.boolean(), (list, hasIndex, hasId) => {
        const deltas = list.flatMap(({ name, args: text, cut }, number): Piece[][] => {
          const index = hasIndex ? { index: 0 } : {}
          const id = hasId ? { id: `id${number}` } : {}
          return [[{ ...index, ...id, name, args: text.slice(0, cut) }], [{ ...index, args: text.slice(cut) }]]
        })
        expect(assemble(...deltas).map(({ name, text }) => [name, text])).toEqual(
          list.map((one) => [one.name, one.args]),
        )
      }),
    )
  })
})
