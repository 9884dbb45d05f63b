import type { CallArguments, Expression } from './ast.ts'
import type { TokenStream } from './token-stream.ts'

/** Reads items with commas between, one more at the end if so written, and the bracket that closes them. */
export function parseItems<Item>(stream: TokenStream, closer: string, parseItem: () => Item): Item[] {
  const items: Item[] = []
  while (!stream.isOperator(closer)) {
    if (items.length > 0) stream.expectOperator(',')
    if (stream.isOperator(closer)) break
    items.push(parseItem())
  }
  stream.take()
  return items
}

/** Reads the arguments of a call with their parentheses. */
export function parseArguments(stream: TokenStream, parse: () => Expression): CallArguments {
  const { line } = stream.expectOperator('(')
  const positional: Expression[] = []
  const named: { name: string; value: Expression }[] = []
  const names = new Set<string>()
  let spread: Expression | undefined
  let spreadNamed: Expression | undefined
  const ensure = (isAllowed: boolean): void => {
    if (!isAllowed) stream.fail('invalid syntax for function call expression', line)
  }
  parseItems(stream, ')', () => {
    ensure(spreadNamed === undefined)
    if (stream.skipOperator('**')) {
      spreadNamed = parse()
    } else if (stream.skipOperator('*')) {
      ensure(spread === undefined)
      spread = parse()
    } else if (stream.current.type === 'word' && stream.isFollowedByOperator('=')) {
      const name = stream.expectWord()
      stream.take()
      if (names.has(name)) stream.fail(`keyword argument repeated: ${name}`, line)
      names.add(name)
      named.push({ name, value: parse() })
    } else {
      ensure(spread === undefined && named.length === 0)
      positional.push(parse())
    }
  })
  return { positional, named, spread, spreadNamed }
}

/** All expressions in arguments. */
export function toParts(given: CallArguments): Expression[] {
  const parts = [...given.positional, ...given.named.map(({ value }) => value)]
  if (given.spread !== undefined) parts.push(given.spread)
  if (given.spreadNamed !== undefined) parts.push(given.spreadNamed)
  return parts
}
