import { toEntries } from './conversation.ts'

/** Values of schemas that have their properties elsewhere. */
const COMBINATIONS = ['$ref', 'anyOf', 'oneOf', 'allOf']

/** Declarations with every member that templates use. Absent texts and parameters become empty ones. */
export function fitTools(tools: readonly unknown[]): readonly unknown[] {
  return tools.map(fitTool)
}

/** Declarations without `function` around them get it. */
function fitTool(tool: unknown): unknown {
  const entries = toEntries(tool)
  if (entries === undefined) return tool
  const declared = toEntries(entries.get('function'))
  if (declared !== undefined) {
    const type = entries.get('type') ?? 'function'
    return new Map([['type', type], ...entries]).set('type', type).set('function', fitFunction(declared))
  }
  if (typeof entries.get('name') !== 'string') return tool
  const flat = new Map(entries)
  flat.delete('type')
  return new Map<string, unknown>([
    ['type', 'function'],
    ['function', fitFunction(flat)],
  ])
}

function fitFunction(declared: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const fitted = new Map<string, unknown>()
  const isDescribed = typeof declared.get('description') === 'string'
  for (const [key, value] of declared) {
    if (key === 'description' && !isDescribed) continue
    fitted.set(key, value)
    if (key === 'name' && !isDescribed) fitted.set('description', '')
  }
  return fitted.set('parameters', fitParameters(declared.get('parameters')))
}

function fitParameters(parameters: unknown): ReadonlyMap<string, unknown> {
  const given = toEntries(parameters) ?? new Map<string, unknown>()
  const fitted = new Map<string, unknown>()
  const isCombined = COMBINATIONS.some((key) => given.has(key))
  if ((given.get('type') ?? undefined) === undefined && !isCombined) fitted.set('type', 'object')
  for (const [key, value] of given) if (value !== undefined && value !== null) fitted.set(key, value)
  if (toEntries(fitted.get('properties')) === undefined) fitted.set('properties', new Map())
  return fitted
}
