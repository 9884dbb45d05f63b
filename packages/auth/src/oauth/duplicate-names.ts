/**
 * Whether a JSON object has a name twice at its top. Two readers of such an object may see two values, so tokens with
 * one are refused. The text is known to be valid JSON.
 */
export function hasDuplicateNames(json: string): boolean {
  const names = new Set<string>()
  let depth = 0
  // strings, and the marks between them; everything else says nothing about names
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token.endsWith(':')) {
      const name: unknown = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1))
      if (names.has(String(name))) return true
      names.add(String(name))
    }
  }
  return false
}
