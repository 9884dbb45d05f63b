import { TemplateFloat } from '../number.ts'
import { printFloat } from './numbers/float-text.ts'
import { countBits } from './numbers/integer.ts'
import type { Rendering } from './rendering.ts'
import { quoteBytes, quoteText } from './text/quote.ts'
import { Dict } from './values/dict.ts'
import { Bytes, isList, Markup, Tuple, Undefined, type Value } from './values/value.ts'

/** A value as a template shows it: Python's `str`. */
export function printValue(run: Rendering, value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) return value.text
  if (value instanceof Undefined) return ''
  return printCode(run, value)
}

/** A value as code, which is how values inside lists are shown: Python's `repr`. */
export function printCode(run: Rendering, value: Value): string {
  run.spend()
  switch (typeof value) {
    case 'string':
      run.walk(value.length)
      return run.built(quoteText(value))
    case 'boolean':
      return value ? 'True' : 'False'
    case 'number':
      return String(value)
    case 'bigint':
      return printBig(run, value)
    default:
  }
  if (value === null) return 'None'
  if (value instanceof TemplateFloat) return printFloat(value.value)
  run.enter()
  const text = printObject(run, value)
  run.leave()
  return text
}

/** The digits of an integer that is not safe. */
export function printBig(run: Rendering, value: bigint): string {
  run.compute(countBits(value))
  return run.built(value.toString())
}

function printObject(run: Rendering, value: Exclude<Value, string | boolean | number | bigint | null>): string {
  const repr = (item: Value): string => printCode(run, item)
  if (isList(value)) return run.built(`[${value.map(repr).join(', ')}]`)
  if (value instanceof TemplateFloat) return printFloat(value.value)
  if (value instanceof Dict) return printDict(run, value)
  if (value instanceof Tuple) {
    const items = value.items.map(repr)
    return run.built(items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`)
  }
  if (value instanceof Markup) return run.built(`Markup(${printCode(run, value.text)})`)
  if (value instanceof Bytes) {
    run.walk(value.bytes.length * 4)
    return run.built(quoteBytes(value.bytes))
  }
  return run.built(value.describe(repr))
}

function printDict(run: Rendering, dict: Dict): string {
  const parts: string[] = []
  for (const [key, value] of dict.entries()) parts.push(`${printCode(run, key)}: ${printCode(run, value)}`)
  return run.built(`{${parts.join(', ')}}`)
}
