import { isMap } from 'yaml'
import type { ModelDocument } from './model-text.ts'
import type { Problem } from './problem.ts'
import { checkRules, type KnownModels } from './rules.ts'
import { checkSchema, type Schema } from './schema-check.ts'

/** Parts that a file is checked with; absent parts are not known yet. */
export interface LintParts {
  readonly schema: Schema | undefined
  readonly known: KnownModels | undefined
}

/** Checks a model file in three layers: syntax, schema, rules. A file that is not YAML has only faults of syntax. */
export function lintModel(model: ModelDocument, { schema, known }: LintParts): readonly Problem[] {
  const { errors, contents } = model.document
  const syntax = errors.map((fault): Problem => {
    const [from, to] = fault.pos
    const message = fault.message.split('\n')[0] ?? fault.message
    const { line } = model.lines.linePos(from)
    return { layer: 'syntax', severity: 'error', code: 'syntax', values: { message }, path: '', from, to, line }
  })
  if (syntax.length > 0) return syntax
  if (contents !== null && !isMap(contents)) {
    // a list of models is a valid file that this editor shows as text only
    return []
  }
  return [...(schema === undefined ? [] : checkSchema(model, schema)), ...checkRules(model, known)].sort(
    (one, other) => one.from - other.from,
  )
}
