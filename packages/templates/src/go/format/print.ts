import { type Budget, ByteSink } from '../limits.ts'
import { GoPointer, type GoValue, indirect } from '../values.ts'
import { Printer } from './printer.ts'

/** Formats a value as an action prints it: `<no value>` for no value, pointers followed, the rest as `%v`. */
export function printable(budget: Budget, value: GoValue): string {
  const shown = value instanceof GoPointer ? indirect(value) : value
  if (shown === undefined) return '<no value>'
  return formatDefault(budget, shown)
}

/** `%v`. */
export function formatDefault(budget: Budget, value: GoValue): string {
  if (typeof value === 'string') return value
  const printer = new Printer(budget)
  printer.argument(value, 'v')
  return printer.sink.finish()
}

/** `fmt.Sprint`: a space between two values when neither is a string. */
export function sprint(budget: Budget, values: readonly GoValue[]): string {
  const sink = new ByteSink(budget)
  let afterString = true
  for (const value of values) {
    const isString = typeof value === 'string'
    if (!isString && !afterString) sink.write(' ')
    sink.write(formatDefault(budget, value))
    afterString = isString
  }
  return sink.finish()
}

/** `fmt.Sprintln`: a space between all values and a line end. */
export function sprintln(budget: Budget, values: readonly GoValue[]): string {
  const sink = new ByteSink(budget)
  for (const [at, value] of values.entries()) {
    if (at > 0) sink.write(' ')
    sink.write(formatDefault(budget, value))
  }
  sink.write('\n')
  return sink.finish()
}
