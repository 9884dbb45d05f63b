import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import type { Arguments } from '../values/callable.ts'
import { Dict, payForKey } from '../values/dict.ts'

/**
 * Adds the entries of a call such as `dict(mapping or pairs, name=value)`.
 *
 * @param call.name the function's name, for messages
 */
export function fillDict(
  run: Rendering,
  dict: Dict,
  { name, given: { positional, named } }: { readonly name: string; readonly given: Arguments },
): void {
  if (positional.length > 1) raise('TypeError', `${name} expected at most 1 argument, got ${positional.length}`)
  const [source] = positional
  if (source instanceof Dict) {
    run.spend(source.size * 2)
    for (const [key, value] of source.entries()) {
      payForKey(run, key)
      dict.set(key, value)
    }
  } else if (source !== undefined) {
    failOnUndefined(source)
    for (const pair of toItems(run, source)) {
      const items = toItems(run, pair)
      if (items.length !== 2)
        raise('ValueError', `dictionary update sequence element has length ${items.length}; 2 is required`)
      const [key = null, value = null] = items
      payForKey(run, key)
      dict.set(key, value)
    }
  }
  for (const [key, value] of named) dict.set(key, value)
}
