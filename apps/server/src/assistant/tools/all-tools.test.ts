import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL_TOOLS } from './all-tools.ts'

it('have names of their own, all of them in the documentation', () => {
  const names = ALL_TOOLS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const page = readFileSync(new URL('../../../../../docs/assistant.md', import.meta.url), 'utf8')
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
