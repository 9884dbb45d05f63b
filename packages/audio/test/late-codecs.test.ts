import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '../src')

it('imports its codecs only when they are used', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const early = files.flatMap((name) => {
    const lines = readFileSync(join(SOURCES, name), 'utf8').split('\n')
    return lines.filter((line) => /^import (?!type ).*'(?!\.|node:|@svc\/errors)/.test(line))
  })
  expect(files.length).toBeGreaterThan(20)
  expect(early).toEqual([])
})
