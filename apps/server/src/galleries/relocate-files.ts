import { posix } from 'node:path'
import { cutPath, listNames, replaceNames } from '../catalog/keys/named-paths.ts'
import { type ModelPlan, withConfig } from './model-plan.ts'

/** Files that get another name together, because an engine finds one by the other. */
export interface FileUnit {
  /** The folder in which a folder named after their content is made; `.` for the models folder. */
  readonly root: string
  /** Their names. */
  readonly members: readonly string[]
}

/** A part of weights in parts; an engine finds the others by their names. */
const PART = /^(.*)-\d{5}-of-\d{5}\.gguf$/i

/**
 * Finds the files that move together with files whose places are taken: the parts of weights in parts, everything below
 * a folder that the configuration names, and the template of weights.
 *
 * @param taken names of files whose places are taken
 * @param filenames of all files and templates of the model
 */
export function findUnits(
  taken: readonly string[],
  { filenames, config }: { readonly filenames: readonly string[]; readonly config: ModelPlan['config'] },
): readonly FileUnit[] {
  const named = new Set(listNames(config).flatMap(({ text, kind }) => (kind === 'path' ? [text] : [])))
  const units: FileUnit[] = []
  for (const filename of taken) {
    if (units.some(({ members }) => members.includes(filename))) continue
    units.push(findUnit(filename, filenames, named))
  }
  return units
}

function findUnit(filename: string, filenames: readonly string[], named: ReadonlySet<string>): FileUnit {
  const folder = listParents(filename).findLast((parent) => named.has(parent))
  if (folder !== undefined) {
    const members = filenames.filter((other) => other.startsWith(`${folder}/`))
    return { root: posix.dirname(folder), members }
  }
  const weights = filename.replace(/\.tmpl$/, '')
  const stem = PART.exec(weights)?.[1]
  const members = filenames.filter((other) => {
    const name = other.replace(/\.tmpl$/, '')
    return other === filename || name === weights || (stem !== undefined && PART.exec(name)?.[1] === stem)
  })
  return { root: posix.dirname(filename), members }
}

/** The names of a unit in the folder of a content. */
export function nameUnit({ root, members }: FileUnit, digest: string): ReadonlyMap<string, string> {
  return new Map(members.map((member) => [member, posix.join(root, digest, posix.relative(root, member))]))
}

/** Folders above a file, the nearest first. */
export function listParents(filename: string): readonly string[] {
  const parent = posix.dirname(filename)
  return parent === '.' ? [] : [parent, ...listParents(parent)]
}

/**
 * The plan with new names of its files, also where its configuration names them or a folder that has moved with them.
 *
 * @param names new names by old ones
 */
export function renameInPlan(plan: ModelPlan, names: ReadonlyMap<string, string>): ModelPlan {
  const folders = listMovedFolders(names)
  const withoutEnding = (filename: string): string => filename.replace(/\.tmpl$/, '')
  const templates = new Map([...names].map(([before, after]) => [withoutEnding(before), withoutEnding(after)]))
  const config = replaceNames(plan.config, (text, kind) => {
    const path = cutPath(text)
    if (kind === 'template') return templates.get(path) ?? text
    return names.get(path) ?? (kind === 'path' ? folders.get(path) : undefined) ?? text
  })
  const rename = <File extends { readonly filename: string }>(file: File): File => ({
    ...file,
    filename: names.get(file.filename) ?? file.filename,
  })
  return { ...withConfig(plan, config), files: plan.files.map(rename), templates: plan.templates.map(rename) }
}

/** Folders that have moved with everything in them. */
function listMovedFolders(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  for (const [before, after] of names) {
    for (const parent of listParents(before)) {
      const rest = before.slice(parent.length)
      if (after.endsWith(rest)) folders.set(parent, after.slice(0, -rest.length))
    }
  }
  return folders
}
