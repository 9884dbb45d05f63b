import type { CST } from 'yaml'

/** Gives every token of a document with its depth, without recursion. */
export function* eachToken(document: CST.Document): Generator<{ readonly token: CST.Token; readonly depth: number }> {
  const open: { readonly token: CST.Token; readonly depth: number }[] = []
  const enter = (token: CST.Token | null | undefined, depth: number): void => {
    if (token) open.push({ token, depth })
  }
  enter(document.value, 0)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    const { token, depth } = next
    if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') continue
    for (const item of token.items) {
      enter(item.key, depth + 1)
      enter(item.value, depth + 1)
    }
  }
}
