import { findReach } from './key-reach.ts'

type Fields = Readonly<Record<string, unknown>>

/** Kinds of names in a configuration. */
export type NameKind =
  /** A file or a folder. */
  | 'path'
  /** A file, behind the name of an option. */
  | 'option'
  /** A template file without its ending, or the template itself. */
  | 'template'

/** Gives another text for one that may name a file. */
export type ReplaceName = (text: string, kind: NameKind) => string

/** The configuration with other texts where it may name files. Texts that name something else stay as they are. */
export function replaceNames(config: Fields, replace: ReplaceName): Fields {
  const result = visit(config, [], replace)
  return isFields(result) ? result : config
}

function visit(value: unknown, path: readonly string[], replace: ReplaceName): unknown {
  if (Array.isArray(value)) return value.map((item) => visit(item, [...path, '*'], replace))
  if (isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key], replace)]))
  }
  if (typeof value !== 'string') return value
  const kind = findKind(path)
  if (kind !== 'option') return kind === undefined ? value : replace(value, kind)
  const name = /^[\w.-]+[:=]/.exec(value)?.[0] ?? ''
  return name + replace(value.slice(name.length), kind)
}

function findKind(path: readonly string[]): NameKind | undefined {
  if (path[0] === 'template') return 'template'
  const reach = findReach(path)
  return reach === 'file' ? 'path' : reach === 'engine' ? 'option' : undefined
}

/** Every text of a configuration that may name a file. */
export function listNames(config: Fields): readonly { readonly text: string; readonly kind: NameKind }[] {
  const found: { text: string; kind: NameKind }[] = []
  replaceNames(config, (text, kind) => {
    found.push({ text: cutPath(text), kind })
    return text
  })
  return found
}

/** A path as file names are written: without `./` before and `/` behind it. */
export function cutPath(text: string): string {
  return text.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
