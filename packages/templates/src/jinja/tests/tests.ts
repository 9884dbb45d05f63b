import { TemplateFloat } from '../../number.ts'
import { contains, isEqual, isOrdered, type Ordering } from '../compare.ts'
import { isIterable } from '../iterate.ts'
import { toOperand } from '../numbers/arithmetic.ts'
import { applyOperator } from '../operators.ts'
import { printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { isAllLower, isAllUpper } from '../text/letter-case.ts'
import { hasSize } from '../truth.ts'
import { type Bound, Callable, define, type Implementation } from '../values/callable.ts'
import { Dict } from '../values/dict.ts'
import { DictView } from '../values/dict-view.ts'
import { isInteger, isText, Markup, Undefined, type Value } from '../values/value.ts'

const equal = define('eq', 'a b', (run, [left, right]) => isEqual(run, left, right))
const unequal = define('ne', 'a b', (run, [left, right]) => !isEqual(run, left, right))

/** The tests that need no other test, by their names after `is`. */
export const PLAIN_TESTS: ReadonlyMap<string, Implementation> = new Map([
  ['defined', test((value) => !(value instanceof Undefined))],
  ['undefined', test((value) => value instanceof Undefined)],
  ['none', test((value) => value === null)],
  ['boolean', test((value) => typeof value === 'boolean')],
  ['true', test((value) => value === true)],
  ['false', test((value) => value === false)],
  ['integer', test(isInteger)],
  ['float', test((value) => value instanceof TemplateFloat)],
  ['number', test((value) => toOperand(value) !== undefined)],
  ['string', test(isText)],
  ['mapping', test((value) => value instanceof Dict)],
  ['sequence', test((value) => hasSize(value) && !(value instanceof DictView))],
  ['iterable', test(isIterable)],
  // An undefined value only fails when called.
  ['callable', test((value) => value instanceof Callable || value instanceof Undefined)],
  ['escaped', test((value) => value instanceof Markup)],
  ['lower', define('lower', 'value', (run, [value]) => isAllLower(walked(run, printValue(run, value))))],
  ['upper', define('upper', 'value', (run, [value]) => isAllUpper(walked(run, printValue(run, value))))],
  ['odd', define('odd', 'value', (run, [value]) => leaves(run, value, { divisor: 2, rest: 1 }))],
  ['even', define('even', 'value', (run, [value]) => leaves(run, value, { divisor: 2, rest: 0 }))],
  [
    'divisibleby',
    define('divisibleby', 'value num', (run, [value, divisor]) => leaves(run, value, { divisor, rest: 0 })),
  ],
  ['sameas', define('sameas', 'value other', (_run, [value, other]) => value === other)],
  ['in', define('in', 'value seq', (run, [value, container]) => contains(run, container, value))],
  ['eq', equal],
  ['equalto', equal],
  ['==', equal],
  ['ne', unequal],
  ['!=', unequal],
  ...orderings('<', ['lt', 'lessthan']),
  ...orderings('<=', ['le']),
  ...orderings('>', ['gt', 'greaterthan']),
  ...orderings('>=', ['ge']),
])

function test(holds: (value: Value) => boolean): Implementation {
  return define('test', 'value', (_run, [value]: Bound<'value'>) => holds(value))
}

function orderings(operator: Ordering, names: readonly string[]): [string, Implementation][] {
  const implementation = define(operator, 'a b', (run, [left, right]) => isOrdered(run, operator, left, right))
  return [operator, ...names].map((name) => [name, implementation])
}

/** A text that was paid for with a look at every character. */
function walked(run: Rendering, text: string): string {
  run.walk(text.length * 8)
  return text
}

function leaves(
  run: Rendering,
  value: Value,
  { divisor, rest }: { readonly divisor: Value; readonly rest: number },
): boolean {
  return isEqual(run, applyOperator(run, '%', value, divisor), rest)
}
