import { SvcError } from '@svc/errors'
import { JinjaLimitError, JinjaRuntimeError, Raised } from './errors.ts'
import { Executor } from './execute.ts'
import { GLOBALS } from './globals/globals.ts'
import { FILTERS, TESTS } from './library.ts'
import { type JinjaLimits, resolveLimits } from './limits.ts'
import type { Clock, JinjaPorts } from './ports.ts'
import { Rendering } from './rendering.ts'
import { Scope } from './scope.ts'
import { checkTemplate } from './syntax/check.ts'
import { parseTemplate } from './syntax/parser.ts'
import { toValue } from './to-value.ts'

/** Options of {@link compileJinja}. */
export interface CompileOptions {
  readonly limits?: JinjaLimits | undefined
  /**
   * Whether templates for llama.cpp run, too: methods that change lists and dicts work, and `tojson` writes a generator
   * as a list. Both fail otherwise, as in the transformers library. Data of the caller never changes.
   * @default false
   */
  readonly lenient?: boolean | undefined
}

/** The variables of a template: plain data, see {@link CompiledJinja.render}. */
export type JinjaContext = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/** A template that has been compiled. It keeps no state of its own, so it may be kept and rendered any number of times. */
export interface CompiledJinja {
  /**
   * Renders the template. The context holds plain data: null, booleans, texts, numbers, bigints, `TemplateFloat`,
   * arrays, plain objects and maps with texts as keys. Integers are numbers, or bigints where they are not safe; a
   * number with a fraction is a float, and so is every `TemplateFloat`, as `parseJsonKeepingNumbers` gives them.
   *
   * @throws JinjaRuntimeError where the template fails, {@link JinjaLimitError} past a limit, SvcError
   *   `template_input` for a context with anything but plain data
   */
  render(context: JinjaContext, ports?: JinjaPorts): string
}

const SYSTEM_CLOCK: Clock = { now: () => Date.now() }

/**
 * Compiles a Jinja template as chat templates are written: Jinja2 3.1.6 with `trim_blocks`, `lstrip_blocks`, loop
 * controls, generation blocks and a `tojson` that escapes nothing for HTML, sandboxed, and bounded by limits.
 *
 * @throws JinjaSyntaxError for a template that cannot be read, {@link JinjaLimitError} past a limit
 * @example
 * compileJinja('Hello {{ name | upper }}!').render({ name: 'ada' }) // Hello ADA!
 */
export function compileJinja(source: string, options: CompileOptions = {}): CompiledJinja {
  const limits = resolveLimits(options.limits)
  const lenient = options.lenient ?? false
  if (source.length > limits.maxSourceLength) {
    throw new JinjaLimitError(`the template exceeds the limit maxSourceLength of ${limits.maxSourceLength}`, {
      line: 0,
      limit: 'maxSourceLength',
    })
  }
  const template = guard(1, () => checkTemplate(parseTemplate(source, limits), { filters: FILTERS, tests: TESTS }))
  return {
    render(context, ports = {}) {
      const run = new Rendering({
        limits,
        lenient,
        clock: ports.clock ?? SYSTEM_CLOCK,
        random: ports.random ?? Math.random,
      })
      return guard(
        () => run.line,
        () => new Executor(run, template).render(toScope(run, context)),
      )
    },
  }
}

function toScope(run: Rendering, context: JinjaContext): Scope {
  const scope = new Scope()
  for (const [name, value] of GLOBALS) scope.set(name, value)
  const entries = context instanceof Map ? context.entries() : Object.entries(context)
  for (const [name, value] of entries) scope.set(name, toValue(run, value))
  return scope
}

/** Adds the line to raised exceptions, and converts unexpected errors to ours. */
function guard<Result>(line: number | (() => number), work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    const at = typeof line === 'number' ? line : line()
    if (thrown instanceof Raised) throw new JinjaRuntimeError(thrown.message, { line: at, exception: thrown.exception })
    if (SvcError.is(thrown)) throw thrown
    // The engine's own stack or a size was exceeded: the limits allow more than this machine can do.
    if (thrown instanceof RangeError)
      throw new JinjaLimitError('the template needs more than the engine has', { line: at })
    throw thrown
  }
}
