import { escapeText } from '../html.ts'
import { toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import type { Arguments } from '../values/callable.ts'
import { isList, Markup, Tuple, type Value } from '../values/value.ts'
import type { Method } from './method.ts'

/** A method of texts with its arguments. */
export interface MethodCall {
  readonly name: string
  readonly method: Method<string>
  readonly given: Arguments
}

/** Calls a method of texts on a safe one: arguments are escaped, and the result is safe again. */
export function callOnMarkup(run: Rendering, text: Markup, { name, method, given }: MethodCall): Value {
  return toSafe(method(run, text.text, escapeArguments(run, name, given)))
}

function escapeArguments(run: Rendering, name: string, given: Arguments): Arguments {
  const [first, second, ...rest] = given.positional
  if (name === 'join' && first !== undefined) {
    return { ...given, positional: [toItems(run, first).map((item) => escapeItem(run, item))] }
  }
  if (name === 'replace' && first !== undefined && second !== undefined) {
    return { ...given, positional: [first, escapeItem(run, second), ...rest] }
  }
  return given
}

function escapeItem(run: Rendering, item: Value): Value {
  return typeof item === 'string' ? escapeText(run, item) : item
}

function toSafe(value: Value): Value {
  if (typeof value === 'string') return new Markup(value)
  if (isList(value)) return value.map(toSafe)
  return value instanceof Tuple ? new Tuple(value.items.map(toSafe)) : value
}
