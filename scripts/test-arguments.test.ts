import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import ProgressReporter from './progress-reporter.mjs'
import { parseTestArguments, QUICK } from './test-arguments.mjs'

const REPORTERS = ['--reporter=default', '--reporter=./scripts/progress-reporter.mjs']

describe('the arguments of npm test', () => {
  it.each([
    [[], ['run', ...REPORTERS]],
    [['packages/json'], ['run', ...REPORTERS, 'packages/json']],
    [['--quick'], ['run', ...REPORTERS, ...QUICK]],
    [
      ['--watch', 'packages/json'],
      ['watch', ...REPORTERS, 'packages/json'],
    ],
    [
      ['--reporter=default', '--reporter=json'],
      ['run', '--reporter=default', '--reporter=json'],
    ],
  ])('%j', (args, expected) => {
    expect(parseTestArguments(args, { isTerminal: false })).toEqual(expected)
  })

  it('leave a terminal to the line that vitest counts on', () => {
    expect(parseTestArguments(['--quick'], { isTerminal: true })).toEqual(['run', ...QUICK])
  })

  it('name folders that are there', () => {
    for (const folder of QUICK) expect(existsSync(new URL(`../${folder}`, import.meta.url)), folder).toBe(true)
  })
})

it('progress is told in at most 41 lines, and at the end', () => {
  const lines: string[] = []
  const write = process.stdout.write
  process.stdout.write = (text: string | Uint8Array): boolean => lines.push(String(text)) > 0
  try {
    const reporter = new ProgressReporter()
    reporter.onTestRunStart(Array.from({ length: 333 }))
    for (let file = 1; file <= 333; file += 1)
      reporter.onTestModuleEnd({ state: () => (file === 100 ? 'failed' : 'passed') })
  } finally {
    process.stdout.write = write
  }
  expect(lines.length).toBeLessThanOrEqual(41)
  expect(lines[0]).toBe('9 of 333 files\n')
  expect(lines.at(-1)).toBe('333 of 333 files, 1 failed\n')
})
