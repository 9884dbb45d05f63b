import { type Clock, compileJinja, JinjaRuntimeError, JinjaSyntaxError } from '../src/index.ts'

/** Friday, 2024-07-26 14:05:09. */
const CLOCK: Clock = { now: () => Date.UTC(2024, 6, 26, 14, 5, 9), offsetMinutes: () => 0 }

/** The variables of most tests. */
const CONTEXT = {
  text: 'Hello wörld',
  empty: '',
  emoji: 'a😀b',
  list: [3, 1, 2],
  words: ['b', 'A', 'c'],
  none: null,
  users: [
    { name: 'Ada', age: 36, city: 'London' },
    { name: 'alan', age: 41, city: 'london' },
    { name: 'Grace', age: 85 },
  ],
  dict: { b: 2, a: 1, '10': [1] },
  big: 12345678901234567890n,
}

/** Compiles a template and renders it with the standard variables. */
export function render(template: string): string {
  return compileJinja(template).render(CONTEXT, { clock: CLOCK })
}

/** The failure of a template: the exception of the language, or `SyntaxError`. */
export function findFailure(template: string): string {
  try {
    render(template)
  } catch (error) {
    if (error instanceof JinjaRuntimeError) return error.exception
    if (error instanceof JinjaSyntaxError) return 'SyntaxError'
    throw error
  }
  return 'none'
}
