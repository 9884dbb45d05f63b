import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Waits with a number of their own; each fails on a machine that is slower than the number. */
const FIXED_WAITS = [
  /\bvi\.waitFor\(/,
  /\.(?:poll|waitFor|waitForFunction|waitForURL)\([^\n]*\btimeout: [\d_]+/,
  /\bvi\.setConfig\(\{ \w+Timeout: (?:\d{2}|[1-5]\d{2})_000\b/,
  /^\s*\}, (?:\d{2}|[1-5]\d{2})_000\)$/m,
]

it('waits follow the load of the machine', () => {
  const root = new URL('..', import.meta.url)
  const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx', '*/e2e/*.ts', '*/test/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const found = files.split('\n').filter((file) => {
    if (file === '' || file === 'scripts/waits.test.ts') return false
    const text = readFileSync(new URL(file, root), 'utf8')
    return FIXED_WAITS.some((pattern) => pattern.test(text))
  })
  expect(found, 'use eventually of @svc/test-kit, or expect.poll without a timeout').toEqual([])
})
