import { listFirstUnits } from '../reasoning/literals.ts'
import { toCustomForm } from './custom-form.ts'
import type { JsonShape } from './json-calls.ts'
import { toJsonForm, toMarkerForm } from './marker-form.ts'
import { JSON_WRAPPERS, TAG_FORMS } from './presets.ts'
import type { TagForm } from './tag-form.ts'
import type { ToolCallOptions } from './tool-call.ts'

/** A tagged call that begins after the markers in `rest`. */
export interface TaggedPath {
  readonly kind: 'tagged'
  readonly rest: readonly string[]
  readonly form: TagForm
  /** The scope of the form has been opened, and it ends with a marker. */
  readonly isScoped: boolean
}

/** JSON calls that begin after the markers in `rest`. */
export interface JsonPath {
  readonly kind: 'json'
  readonly rest: readonly string[]
  /** Markers that may follow the calls. */
  readonly ends: readonly string[]
}

/** A continuation of an opening marker. */
export type Path = TaggedPath | JsonPath

/** All forms of calls that one reply may hold. */
export interface Grammar {
  /** Every marker that has a meaning outside of calls; longer ones first. */
  readonly literals: readonly string[]
  readonly openings: ReadonlyMap<string, readonly Path[]>
  /** The same markers as a list; longer ones first. */
  readonly openingLiterals: readonly string[]
  /** Markers that end a scope: dropped after a call in it, text elsewhere. */
  readonly closings: ReadonlySet<string>
  /** JSON calls are found outside of markers too. */
  readonly takesBareJson: boolean
  readonly shapes: readonly JsonShape[]
  /** UTF-16 units at which text may end. */
  readonly triggers: ReadonlySet<number>
}

/** A fence belongs to the call it surrounds; elsewhere it is text. */
export const FENCE = '```'

/** Gathers the forms of the model, its backend and the presets. Of two equal forms the first wins. */
export function createGrammar(options: ToolCallOptions, { takesBareJson }: { takesBareJson: boolean }): Grammar {
  const { settings, markers } = options
  const jsonForm = markers === undefined ? undefined : toJsonForm(markers)
  const forms = [
    settings.xmlFormat === undefined ? undefined : toCustomForm(settings.xmlFormat),
    markers === undefined ? undefined : toMarkerForm(markers),
    ...TAG_FORMS,
  ].filter((form) => form !== undefined)

  const openings = new Map<string, Path[]>()
  const closings = new Set<string>()
  const open = (literal: string, path: Path): void => {
    openings.set(literal, [...(openings.get(literal) ?? []), path])
  }
  for (const wrappers of [jsonForm?.wrappers ?? [], ...JSON_WRAPPERS.map((wrapper) => [wrapper])]) {
    const ends = wrappers.map(({ end }) => end).filter((end) => end !== '')
    for (const [index, { start }] of wrappers.entries()) {
      open(start, { kind: 'json', rest: wrappers.slice(index + 1).map((inner) => inner.start), ends })
    }
    for (const end of ends) closings.add(end)
  }
  for (const form of forms) {
    for (const [literal, path] of toPaths(form)) open(literal, path)
    if (form.scope !== undefined && form.scope.end !== '') closings.add(form.scope.end)
  }

  const openingLiterals = longestFirst(openings.keys())
  const literals = longestFirst([...openingLiterals, ...closings, FENCE])
  const jsonStarts = takesBareJson ? ['{', '['] : []
  return {
    literals,
    openings,
    openingLiterals,
    closings,
    takesBareJson,
    shapes: [...(jsonForm === undefined ? [] : [jsonForm.shape]), configuredShape(options)],
    triggers: listFirstUnits([...literals, ...jsonStarts]),
  }
}

function toPaths(form: TagForm): [string, Path][] {
  const inner = form.callStart === '' ? [form.toolStart] : [form.callStart, form.toolStart]
  const scoped = form.scope === undefined ? [] : [[form.scope.start, ...inner]]
  return [
    ...scoped.map(([literal = '', ...rest]): [string, Path] => [
      literal,
      { kind: 'tagged', rest, form, isScoped: form.scope?.end !== '' },
    ]),
    ...(form.isBare ? [inner] : []).map(([literal = '', ...rest]): [string, Path] => [
      literal,
      { kind: 'tagged', rest, form, isScoped: false },
    ]),
  ]
}

function configuredShape({ settings }: ToolCallOptions): JsonShape {
  return {
    nameKey: settings.functionNameKey || 'name',
    argumentsKey: settings.functionArgumentsKey || 'arguments',
    idKey: '',
    functionKey: '',
    nameIsKey: false,
  }
}

function longestFirst(literals: Iterable<string>): readonly string[] {
  return [...new Set(literals)].sort((a, b) => b.length - a.length)
}
