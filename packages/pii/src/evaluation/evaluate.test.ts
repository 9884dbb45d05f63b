import { describe, expect, it } from 'vitest'
import { type EvaluationOptions, evaluateDetectors, type FoundEntity } from './evaluate.ts'

const { signal } = new AbortController()

/** Finds words in capitals as NAME, with the score that a digit behind them tells, and numbers as ID. */
async function find(text: string): Promise<readonly FoundEntity[]> {
  const found = (pattern: RegExp, group: string): FoundEntity[] =>
    [...text.matchAll(pattern)].map(({ index, 0: value, 1: digit = '9' }) => {
      return { start: index, end: index + value.length, group, score: Number(digit) / 10 }
    })
  return [...found(/[A-Z]+(\d)?/g, 'NAME'), ...found(/#\d+/g, 'ID')]
}

const evaluate = (lines: readonly string[], options: Partial<EvaluationOptions> = {}) =>
  evaluateDetectors({ lines, find, signal, ...options })

const line = (text: string, ...spans: readonly (readonly [number, number, string])[]): string =>
  JSON.stringify({ text, spans: spans.map(([start, end, group]) => ({ start, end, group })) })

describe('an evaluation', () => {
  it('counts by group, and names misses and false finds', async () => {
    const { groups, texts, total, problems } = await evaluate([
      line('ADA has #12', [0, 3, 'NAME'], [8, 11, 'ID']),
      '',
      line('bob and #7 or EVE', [0, 3, 'NAME'], [14, 17, 'NAME']),
    ])
    expect([texts, problems]).toEqual([2, []])
    expect(groups).toMatchObject([
      { group: 'ID', labels: 1, found: 1, false: 1, precision: 0.5, recall: 1, coverage: 1 },
      { group: 'NAME', labels: 3, found: 2, false: 0, precision: 1, recall: 2 / 3 },
    ])
    expect(groups[1]?.misses).toEqual([{ line: 3, value: 'bob' }])
    expect(groups[0]?.falseFinds).toEqual([{ line: 3, value: '#7' }])
    expect(groups[1]?.f2).toBeCloseTo((5 * (2 / 3)) / (4 + 2 / 3))
    expect(total).toMatchObject({ labels: 4, found: 3, false: 1, precision: 0.75, recall: 0.75 })
  })

  it('gives micro and macro averages, strict ones and labels of another group', async () => {
    const { groups, total, macro } = await evaluate([
      line('ADA and BOBBY met #1 at #22', [0, 3, 'NAME'], [8, 11, 'NAME'], [18, 20, 'ID'], [24, 27, 'NAME']),
    ])
    expect(groups).toMatchObject([
      { group: 'ID', labels: 1, found: 1, false: 1, mistyped: 0, f1: 2 / 3, strictF1: 2 / 3 },
      { group: 'NAME', labels: 3, found: 2, false: 0, mistyped: 1, f1: 0.8, strictF1: 0.4 },
    ])
    expect(total).toMatchObject({ mistyped: 1, f1: 0.75, strictF1: 0.5, precision: 0.75, coverage: 1 })
    expect(macro.f1).toBeCloseTo((2 / 3 + 0.8) / 2)
    expect(macro.strictF1).toBeCloseTo((2 / 3 + 0.4) / 2)
    expect((await evaluate([line('ADA')])).macro.recall).toBe(1)
  })

  it('measures the share of characters that any finding covers', async () => {
    const { total } = await evaluate([line('ADAms #1', [0, 5, 'NAME'], [6, 8, 'NAME'])])
    expect(total.coverage).toBeCloseTo(5 / 7)
  })

  it('proposes a score and actions', async () => {
    const { proposedMinScore, groups } = await evaluate([
      line('ADA8 and XX3 or YY2', [0, 4, 'NAME']),
      line('EVE7 and ZZ4, #1 #2 #3', [0, 4, 'NAME'], [14, 16, 'ID']),
    ])
    // Just above the false find with the highest score below the true ones.
    expect(proposedMinScore).toBe(0.41)
    expect(groups.map(({ group, proposedAction }) => [group, proposedAction])).toEqual([
      ['ID', 'allow'],
      ['NAME', 'allow'],
    ])
  })

  it.each([
    ['utf8', 5, 8],
    ['utf16', 3, 6],
    ['codepoint', 2, 5],
  ] as const)('reads offsets in %s', async (offsetEncoding, start, end) => {
    const { total, problemCount } = await evaluate([line('🔑 ADA', [start, end, 'NAME'])], { offsetEncoding })
    expect([total.found, total.coverage, problemCount]).toEqual([1, 1, 0])
  })

  it('names lines that it cannot use, and counts the others', async () => {
    const { problems, texts, problemCount } = await evaluate([
      'no JSON',
      '[]',
      '{"spans": []}',
      '{"text": "ADA"}',
      line('ADA', [0, 4, 'NAME']),
      line('ADA', [2, 1, 'NAME']),
      '{"text": "ADA", "spans": [{"start": 0.5, "end": 1, "group": "NAME"}]}',
      '{"text": "ADA", "spans": [{"start": 0, "end": 1}]}',
      line('ADA', [0, 3, 'NAME']),
    ])
    expect([texts, problemCount]).toEqual([1, 8])
    expect(problems).toEqual([
      { line: 1, reason: 'no JSON object' },
      { line: 2, reason: 'no JSON object' },
      { line: 3, reason: 'text is missing or no text' },
      { line: 4, reason: 'spans is missing or no list' },
      { line: 5, reason: 'spans[0]: 0 to 4 is out of range, the text has 3' },
      { line: 6, reason: 'spans[0]: 2 to 1 is out of range, the text has 3' },
      { line: 7, reason: 'spans[0]: start and end must be whole numbers from 0' },
      { line: 8, reason: 'spans[0]: group is missing' },
    ])
    const cut = await evaluate([line('🔑 ADA', [1, 4, 'NAME'])], { offsetEncoding: 'utf8' })
    expect(cut.problems).toEqual([{ line: 1, reason: 'spans[0]: 1 to 4 cuts a character' }])
  })

  it('names groups that no detector reports', async () => {
    const lines = [line('ADA', [0, 3, 'NAME']), line('ADA', [0, 3, 'PERSON'])]
    const reason = 'no detector reports the group "PERSON"'
    expect((await evaluate(lines)).problems).toEqual([{ line: 2, reason }])
    const told = await evaluate(lines, { isKnownGroup: (group) => group === 'NAME' })
    expect([told.texts, told.problems]).toEqual([1, [{ line: 2, reason }]])
  })

  it('keeps few examples and problems of a large file', async () => {
    async function* many() {
      for (let at = 0; at < 3000; at++) yield at % 3 === 0 ? 'x' : line('bob or EVE', [0, 3, 'NAME'])
    }
    const { groups, problems, problemCount, texts } = await evaluateDetectors({ lines: many(), find, signal })
    expect([texts, problems.length, problemCount]).toEqual([2000, 100, 1000])
    expect([groups[0]?.misses.length, groups[0]?.falseFinds.length]).toEqual([20, 20])
  })

  it('ends at an abort', async () => {
    const reason = new Error('gone')
    await expect(evaluate([line('ADA')], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
