import { choice, EMPTY, type Expression, isNever, NEVER, repeat, sequence } from './expression.ts'

/** Rules of a grammar by name; the first is the root. */
export type Rules = ReadonlyMap<string, Expression>

/**
 * The names of the rules that match at least one text of finite length. A rule that requires itself, or requires a rule
 * without a match, is not among them.
 */
export function findProductive(rules: Rules): ReadonlySet<string> {
  const productive = new Set<string>()
  const users = new Map<string, string[]>()
  for (const [name, body] of rules) {
    for (const used of namesIn(body)) {
      const known = users.get(used)
      if (known === undefined) users.set(used, [name])
      else known.push(name)
    }
  }
  const open = [...rules.keys()]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const body = rules.get(name)
    if (body === undefined || productive.has(name) || !isProductive(body, productive)) continue
    productive.add(name)
    open.push(...(users.get(name) ?? []))
  }
  return productive
}

/** Drops expressions without a match and unreachable rules. */
export function pruneRules(rules: Rules, productive: ReadonlySet<string>, start: string): Rules {
  const kept = new Map<string, Expression>()
  const open = [start]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const body = rules.get(name)
    if (body === undefined || kept.has(name)) continue
    const pruned = prune(body, productive)
    kept.set(name, pruned)
    open.push(...[...namesIn(pruned)].reverse())
  }
  return kept
}

/** The rules that an expression names. */
export function namesIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>()
  const open: Expression[] = [expression]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'rule') names.add(next.name)
    else if (next.kind === 'sequence') open.push(...next.items.toReversed())
    else if (next.kind === 'choice') open.push(...next.options.toReversed())
    else if (next.kind === 'repeat') open.push(next.item)
  }
  return names
}

/** Whether an expression matches at least one text of finite length. */
export function isProductive(expression: Expression, productive: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'class':
      return true
    case 'rule':
      return productive.has(expression.name)
    case 'sequence':
      return expression.items.every((item) => isProductive(item, productive))
    case 'choice':
      return expression.options.some((option) => isProductive(option, productive))
    case 'repeat':
      return expression.min === 0 || isProductive(expression.item, productive)
  }
}

function prune(expression: Expression, productive: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'class':
      return expression
    case 'rule':
      return productive.has(expression.name) ? expression : NEVER
    case 'sequence':
      return sequence(...expression.items.map((item) => prune(item, productive)))
    case 'choice':
      return choice(...expression.options.map((option) => prune(option, productive)).filter((one) => !isNever(one)))
    case 'repeat': {
      const item = prune(expression.item, productive)
      return isNever(item) && expression.min === 0 ? EMPTY : repeat(item, expression.min, expression.max)
    }
  }
}
