import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('has at most 40 names at its root, types included', () => {
  const index = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')
  const names = [...index.matchAll(/export (?:type )?\{(?<list>[^}]+)\}/g)].flatMap(({ groups }) =>
    (groups?.list ?? '').split(',').filter((name) => name.trim() !== ''),
  )
  expect(names.length).toBeGreaterThan(20)
  expect(names.length).toBeLessThanOrEqual(40)
})
