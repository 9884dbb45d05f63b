import { OPTIONS } from './schema.ts'
import { nearest } from './suggest.ts'

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

const KNOWN = new Set(OPTIONS.flatMap(({ env = [] }) => env))
const PREFIX = 'SVC_'
/** The number of unknown names that a warning lists. */
const MAX_LISTED = 12

/** The first variable of these that is set; an empty one is not set. */
export function firstSet(env: Environment, names: readonly string[]): { name: string; text: string } | undefined {
  for (const name of names) {
    const text = env[name]
    if (text !== undefined && text !== '') return { name, text }
  }
  return undefined
}

/**
 * Names the variables that have the product's prefix and no meaning, in one sentence. They do not keep the server from
 * its start: container platforms make such names for a service, and a model file may name one as its key.
 */
export function unknownVariables(env: Environment): string | undefined {
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !KNOWN.has(name) && env[name] !== '')
    .sort()
  if (unknown.length === 0) return undefined
  const listed = unknown.slice(0, MAX_LISTED).map((name) => {
    const meant = nearest(name, KNOWN)
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`
  })
  const more = unknown.length > MAX_LISTED ? ` and ${unknown.length - MAX_LISTED} more` : ''
  return `variables without a meaning here: ${listed.join(', ')}${more}`
}
