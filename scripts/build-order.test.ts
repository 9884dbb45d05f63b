import { describe, expect, it } from 'vitest'
import { createBuildCounter, listNeededPackages } from './build-order.mjs'

describe('listNeededPackages', () => {
  it('lists what a package loads and ships, and nothing for tests', () => {
    const manifests = new Map<string, object>([
      ['server', { dependencies: { a: '', outside: '' }, devDependencies: { mock: '' }, svc: { ships: ['web'] } }],
      ['web', { dependencies: { b: '' }, devDependencies: { kit: '' } }],
      ['a', { optionalDependencies: { c: '' } }],
      ...['b', 'c', 'kit', 'mock', 'other'].map((name) => [name, {}] as const),
    ])
    expect(listNeededPackages('server', manifests)).toEqual(['a', 'b', 'c', 'server', 'web'])
  })
})

describe('the counter of a build', () => {
  it('counts each package once, by the last line of tsup or Vite', () => {
    const lines: string[] = []
    const counter = createBuildCounter({ total: 2, out: { write: (text) => lines.push(text) } })
    counter.read('@svc/web:build: vite v8 building\n@svc/web:build: ✓ built in 1.79s\n@svc/server:build: ESM ⚡️ Bui')
    counter.read('ld success in 40ms\n@svc/server:build: ESM ⚡️ Build success in 40ms\n')
    expect(lines).toEqual(['building 0 of 2 …\n', 'building 1 of 2: @svc/web\n', 'building 2 of 2: @svc/server\n'])
  })
})
