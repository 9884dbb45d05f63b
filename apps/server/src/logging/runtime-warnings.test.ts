import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sourceArguments } from '@svc/test-kit'
import { expect, it } from 'vitest'

it('writes warnings of Node as log lines, and none about many listeners', async () => {
  const program = new URL('./__fixtures__/warn.ts', import.meta.url)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, sourceArguments(program))
  expect(stderr).toBe('')
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', warning: 'Warning', msg: 'a plain one' },
    { level: 'warn', warning: 'DeprecationWarning', msg: 'an old one' },
    { level: 'warn', warning: 'ExperimentalWarning', msg: 'a new one' },
  ])
})
