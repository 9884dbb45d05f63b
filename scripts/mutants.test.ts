import { describe, expect, it } from 'vitest'
import { listMutants, plant, takeSample } from './mutants.mjs'

const mutate = (source: string): string[] => listMutants(source).map((mutant) => plant(source, mutant))

describe('a module', () => {
  it.each([
    ['if (a < b) f', ['if (a <= b) f']],
    ['x = a && !b', ['x = a || !b', 'x = a && b']],
    ['x = a + b', ['x = a - b']],
    ['i++', ['i--']],
    ['--i', ['++i']],
    [
      'x = [true, 0, 1, 20]',
      ['x = [false, 0, 1, 20]', 'x = [true, (0 + 1), 1, 20]', 'x = [true, 0, 0, 20]', 'x = [true, 0, 1, (20 + 1)]'],
    ],
    ['x = [404, 30_000]', ['x = [(404 + 1), 30_000]', 'x = [404, 0]']],
    ['x = list.at(y) ?? 0', ['x = list.at(y) ?? (0 + 1)']],
    ['async () => { try { return await f() } finally {} }', ['async () => { try { return (f()) } finally {} }']],
    ['async () => { using x = y; return await f() }', ['async () => { using x = y; return (f()) }']],
    ['async () => ((await f()) ? x : y)', ['async () => (((f())) ? x : y)']],
    ['async () => { return (await f()) ?? x }', ['async () => { return ((f())) ?? x }']],
    ["x = y === 'stop'", ["x = y !== 'stop'", "x = y === 'mutant'"]],
    ['const x = await f()', ['const x = (f())']],
    ['g()\nawait f()', [';\nawait f()', 'g()\n;', 'g()\n(f())']],
    ['for (;;) { continue }', ['for (;;) { ; }']],
  ])('%j has these faults', (source, faults) => {
    expect(mutate(source)).toEqual(faults)
  })

  it.each([
    "import { a } from 'a'",
    "export * from 'a'",
    "const a = import('a')",
    "type A = 'a' | 1 | true",
    "interface A { readonly a: 'b' }",
    "const a: 'b' | 2 = c",
    'declare const a: 1',
    "x = 'a sentence for people'",
    "x = 'a: ' + b",
    "x = { 'content-type': y }",
    'x = -y',
    'timer.unref()',
    'async () => { await file.sync() }',
    'async () => { return await f() }',
    'async () => await f()',
    'async () => x ? y : (await f())',
    'async () => { return x ?? (await f()) }',
    'async function f() { if (x) { return await y } }',
    'x = list[y] ?? 0',
  ])('%j has none', (source) => {
    expect(mutate(source)).toEqual([])
  })

  it('names the line and what was there', () => {
    expect(listMutants('const a = b\nconst c = a > 2')).toMatchObject([
      { line: 2, from: '>', to: '>=' },
      { line: 2, from: '2', to: '(2 + 1)' },
    ])
  })
})

describe('a sample', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)

  it('is the same for the same seed, and another one for another', () => {
    const first = takeSample(items, { count: 10, seed: 1 })
    expect(first).toEqual(takeSample(items, { count: 10, seed: 1 }))
    expect(first).not.toEqual(takeSample(items, { count: 10, seed: 2 }))
    expect(new Set(first).size).toBe(10)
  })

  it('is everything where there is less', () => {
    expect(takeSample(items, { count: 1000, seed: 1 }).sort((a, b) => a - b)).toEqual(items)
  })
})
