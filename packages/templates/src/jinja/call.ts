import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import type { Rendering } from './rendering.ts'
import { type Arguments, Callable } from './values/callable.ts'
import { typeName } from './values/type-name.ts'
import type { Value } from './values/value.ts'

/** Calls a value. @throws TypeError for a value that cannot be called, and the errors of the call */
export function callValue(run: Rendering, callee: Value, given: Arguments): Value {
  if (!(callee instanceof Callable)) {
    failOnUndefined(callee)
    return raise('TypeError', `'${typeName(callee)}' object is not callable`)
  }
  run.enter()
  const result = callee.call(run, given)
  run.leave()
  return result
}
