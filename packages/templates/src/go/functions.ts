import { equalsAny, isLess, isLessOrEqual } from './compare.ts'
import { fail } from './errors.ts'
import { escapeHtml, escapeJavaScript, escapeQuery } from './escape.ts'
import { sprint, sprintln } from './format/print.ts'
import { sprintf } from './format/printf.ts'
import { type CallContext, type FunctionTable, fixed, variadic, walking } from './function.ts'
import { indexInto, measureLength } from './indexing.ts'
import { type GoValue, goInt, indirect, isTrue, toTypeName } from './values.ts'

/** The functions of `text/template` itself. `slice` is missing: sprig's takes its place. */
export const BUILTINS: FunctionTable = {
  // The evaluator stops at the deciding argument; these functions only see the rest.
  and: variadic(['value'], 'value', (_, [first], rest) => rest.at(-1) ?? first),
  or: variadic(['value'], 'value', (_, [first], rest) => rest.at(-1) ?? first),
  not: fixed(['value'], (_, value) => !isTrue(value)),
  eq: variadic(['value'], 'value', (_, [first], others) => equalsAny(first, others)),
  ne: fixed(['value', 'value'], (_, left, right) => !equalsAny(left, [right])),
  lt: fixed(['value', 'value'], (_, left, right) => isLess(left, right)),
  le: fixed(['value', 'value'], (_, left, right) => isLessOrEqual(left, right)),
  gt: fixed(['value', 'value'], (_, left, right) => !isLessOrEqual(left, right)),
  ge: fixed(['value', 'value'], (_, left, right) => !isLess(left, right)),
  index: variadic(['value'], 'value', (_, [item], indexes) => indexInto(item, indexes)),
  len: fixed(['value'], (_, item) => goInt(measureLength(item))),
  print: variadic([], 'any', ({ budget }, _, values) => sprint(budget, values)),
  printf: variadic(['string'], 'any', ({ budget }, [format], values) => sprintf(budget, format, values)),
  println: variadic([], 'any', ({ budget }, _, values) => sprintln(budget, values)),
  ...walking({
    html: variadic([], 'any', (context, _, values) => escapeHtml(joinText(context, values))),
    js: variadic([], 'any', (context, _, values) => escapeJavaScript(joinText(context, values))),
    urlquery: variadic([], 'any', (context, _, values) => escapeQuery(joinText(context, values))),
  }),
  // No value a template can reach is a function.
  call: variadic(['value'], 'value', (_, [target]) =>
    fail(target === undefined || target === null ? 'call of nil' : `non-function of type ${toTypeName(target)}`),
  ),
}

/** The arguments as one text, as actions print them. */
function joinText({ budget }: CallContext, values: readonly GoValue[]): string {
  const [only] = values
  if (values.length === 1 && typeof only === 'string') return only
  return sprint(
    budget,
    values.map((value) => (value === null ? '<no value>' : indirect(value))),
  )
}
