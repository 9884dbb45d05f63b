import { expect, it } from 'vitest'
import { createLog } from './log.ts'

it('a log writes one line for each message', () => {
  let written = ''
  const log = createLog({ write: (text: string) => (written += text) })
  log.warn('one\n  two \r\n')
  log.error(' three')
  expect(written).toBe('warn: one two\nerror: three\n')
})
