import { evaluateDetectors } from '@svc/pii/evaluation'
import { expect, it } from 'vitest'
import { formatPiiEvaluation } from './pii-report.ts'

it('prints the figures of an evaluation in the terms of the field', async () => {
  const text = 'ADA met Bo'
  const evaluation = await evaluateDetectors({
    lines: [
      JSON.stringify({
        text,
        spans: [
          { start: 0, end: 3, group: 'NAME' },
          { start: 8, end: 10, group: 'NAME' },
        ],
      }),
    ],
    find: async () => [
      { start: 0, end: 7, group: 'NAME', score: 1 },
      { start: 8, end: 10, group: 'ID', score: 1 },
    ],
    signal: new AbortController().signal,
  })
  const task = { action: 'pii eval', file: 'texts.jsonl', detectors: ['d'], offsets: 'codepoint' } as const
  const lines = formatPiiEvaluation(task, evaluation).split('\n')
  expect(lines[1]?.trim().split(/ {2,}/)).toEqual([
    ...['group', 'support', 'precision', 'recall', 'F1', 'F2', 'strict F1', 'character recall', 'TP', 'FP', 'FN'],
  ])
  expect(lines.slice(2, 6).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['ID', '0', '0.0 %', '100.0 %', '0.0 %', '0.0 %', '0.0 %', '100.0 %', '0', '1', '0'],
    ['NAME', '2', '100.0 %', '50.0 %', '66.7 %', '55.6 %', '0.0 %', '100.0 %', '1', '0', '1'],
    ['micro average', '2', '50.0 %', '50.0 %', '50.0 %', '50.0 %', '0.0 %', '100.0 %', '1', '1', '1'],
    ['macro average', '100.0 %', '50.0 %', '66.7 %', '55.6 %', '0.0 %', '100.0 %'],
  ])
  expect(lines).toContain('1 of the missed labels were found as another group')
})
