import { compileGoTemplate } from '../src/go/index.ts'

/** The data of most recorded templates; whole numbers are `int`. */
function standardData(): Readonly<Record<string, unknown>> {
  return {
    s: 'héllo wörld',
    n: 3n,
    f: 2.5,
    neg: -7n,
    zero: 0n,
    empty: '',
    yes: true,
    no: false,
    nul: null,
    list: ['a', 'b', 'c'],
    nums: [3n, 1n, 2n],
    none: [],
    m: { b: 2n, a: 1n, c: 3n },
    emptym: {},
    deep: { x: { y: { z: 'bottom' } }, arr: [{ k: 'v0' }, { k: 'v1' }] },
    mixed: [1n, 'two', 3.5, true, null, { k: 1n }, [1n, 2n]],
  }
}

/** Compiles a template and renders it with the standard data. */
export function render(template: string): string {
  return compileGoTemplate(template).render(standardData())
}
