import type { ConfigProblem } from './config-problem.ts'
import type { ModelConfig } from './model-config.ts'
import { isPipeline, isRouter } from './serving.ts'

/**
 * The mistakes of a router, also those that depend on other models.
 *
 * @param find the model of a name, aliases followed
 */
export function listRouterProblems(
  { file, routerNotes }: ModelConfig,
  find: (name: string) => ModelConfig | undefined,
): ConfigProblem[] {
  if (routerNotes === undefined) return []
  const { problems, references } = routerNotes
  const broken = references.flatMap(({ model, key, line }) => {
    const reason = describeReference(model, find(model))
    return reason === undefined ? [] : [{ file, line, key, reason }]
  })
  return [...problems, ...broken]
}

function describeReference(name: string, model: ModelConfig | undefined): string | undefined {
  if (model === undefined) return `there is no model "${name}"`
  if (isPipeline(model)) return `"${name}" is a pipeline of spoken conversations`
  return isRouter(model) ? `"${name}" is a router itself` : undefined
}
