import { toBytes, toText } from './bytes.ts'
import { toGoValue } from './data.ts'
import { GoTemplateLimitError } from './errors.ts'
import { evaluate } from './evaluate.ts'
import type { GoFunction } from './function.ts'
import { BUILTINS } from './functions.ts'
import { Budget, type GoTemplateLimits, resolveLimits } from './limits.ts'
import { parseTemplate } from './parser.ts'
import { SPRIG } from './sprig/index.ts'

/** Options of {@link compileGoTemplate}. */
export interface GoTemplateOptions {
  /** The template's own name, which `{{template}}` can call. @default 'prompt' */
  readonly name?: string | undefined
  /** Limits of compiling and rendering. */
  readonly limits?: GoTemplateLimits | undefined
}

/** Options of one render. */
export interface GoRenderOptions {
  /** Other limits for this render; missing ones are as compiled. */
  readonly limits?: GoTemplateLimits | undefined
}

/** A compiled template; it can be rendered any number of times. */
export interface GoTemplate {
  /**
   * Renders data: a value of {@link goStruct}, or plain data, which is a map with numbers as `float64` and bigints as
   * `int`.
   *
   * @throws GoTemplateExecError when the template does not fit the data @throws GoTemplateLimitError when a limit is
   *   passed
   */
  render(data: unknown, options?: GoRenderOptions): string
}

const FUNCTIONS: ReadonlyMap<string, GoFunction> = new Map(Object.entries({ ...BUILTINS, ...SPRIG }))

/**
 * Compiles a template of Go's `text/template` with the functions of sprig (§3.2 of the model files).
 *
 * @throws GoTemplateSyntaxError for invalid syntax, and for functions that do not exist
 * @throws GoTemplateLimitError for a template that is too long or nested too deep
 *
 * @example
 * const template = compileGoTemplate('{{range .names}}Hello {{. | title}}!\n{{end}}')
 * template.render({ names: ['ada', 'grace'] }) // 'Hello Ada!\nHello Grace!\n'
 */
export function compileGoTemplate(source: string, options: GoTemplateOptions = {}): GoTemplate {
  const name = toBytes(options.name ?? 'prompt')
  const limits = resolveLimits(options.limits)
  const bytes = toBytes(source)
  if (bytes.length > limits.maxSourceBytes) throw new GoTemplateLimitError('maxSourceBytes', limits.maxSourceBytes)
  const definitions = parseTemplate(bytes, {
    name,
    maxDepth: limits.maxParseDepth,
    hasFunction: (word) => FUNCTIONS.has(word),
  })
  return {
    render(data, overrides = {}) {
      const budget = new Budget(resolveLimits(overrides.limits, limits))
      const value = toGoValue(data, budget.limits.maxValueDepth) ?? undefined
      return toText(evaluate(value, { definitions, name, functions: FUNCTIONS, budget }))
    },
  }
}
